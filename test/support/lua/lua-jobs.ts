import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.ts';
import { parseWith } from '../../../src/base/validate.ts';
import type { KnowledgeReader } from '../../../src/knowledge/knowledge.ts';
import { SearchRequest, type SearchResult } from '../../../src/knowledge/search/search-request.ts';
import type { LuaHost, LuaJob } from '../../../src/lua/sandbox/lua-job.ts';

const folder = join(import.meta.dirname, '../../../src/lua');

/** Creates a job that runs `src/lua/{script}.lua` as an agent with `args`, an empty config and the context. */
export function resolveJob(script: string, rest: Partial<LuaJob> & { args?: object } = {}): LuaJob {
  const { args = {}, ...others } = rest;
  return {
    file: join(folder, `${script}.lua`),
    shown: `${script}.lua`,
    table: 'agent',
    call: { name: 'resolve', args: [{ data: args }, { data: {} }, { context: {} }] },
    timeoutMs: 30_000,
    host: luaHost(),
    ...others,
  };
}

export function luaHost(rest: Partial<LuaHost> = {}): LuaHost {
  return { logger: silentLogger, env: () => undefined, allowedHosts: [], knowledge: knowledgeThatMayHang(), ...rest };
}

/** Finds one document for every valid query. The query "never" gets no reply. */
export function knowledgeThatMayHang(aborted: string[] = []): KnowledgeReader {
  return {
    async search(given, options) {
      const request = parseWith(SearchRequest, given);
      if (request.query === 'never') {
        options?.signal?.addEventListener('abort', () => aborted.push('search'));
        await new Promise(() => {});
      }
      return [{ ...found, snippet: `**${request.query}**` }];
    },
    async get(id) {
      if (id === 'never') await new Promise(() => {});
      return {
        id,
        source: 'git:runbooks',
        sourceId: 'restart.md',
        title: 'Restart',
        url: null,
        contentType: 'text/markdown',
        hash: 'a'.repeat(64),
        updatedAt: Date.parse('2026-01-31T08:00:00Z'),
        indexedAt: 0,
        tags: [],
        metadata: { owner: 'ops', reviewer: null },
        chunks: 1,
        size: 9,
        body: '# Restart',
      };
    },
    chunks: async () => [{ ordinal: 0, heading: [], startLine: 1, endLine: 1, text: 'Restart it.', tokens: 2 }],
    sources: async () => [
      {
        source: 'git:runbooks',
        type: 'git',
        name: 'runbooks',
        place: 'runbooks.git',
        origin: 'config',
        documents: 1,
        chunks: 1,
        state: 'ready',
        lastSyncedAt: '2026-01-31T08:00:00.000Z',
        message: null,
        lastReport: null,
        progress: null,
        requestedAt: null,
      },
    ],
  };
}

const found: SearchResult = {
  id: 'd1',
  score: 1,
  title: 'Restart',
  source: 'git:runbooks',
  source_id: 'restart.md',
  source_url: null,
  updated_at: '2026-01-31T08:00:00.000Z',
  snippet: '',
  passage: { text: 'Restart it.', heading: ['Restart'], start_line: 1, end_line: 2, ordinal: 0 },
  version: 'a'.repeat(64),
  age_seconds: 60,
  tags: [],
};

export interface SilentServer {
  url: string;
  host: string;
  /** The number of requests, and of requests whose client disconnected. */
  seen: { requests: number; gone: number };
  close(): void;
}

/** Accepts requests and never replies. */
export async function startSilentServer(): Promise<SilentServer> {
  const seen = { requests: 0, gone: 0 };
  const server = createServer((_request, response) => {
    seen.requests += 1;
    response.on('close', () => {
      seen.gone += 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, host: `127.0.0.1:${port}`, seen, close };
}
