import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '../../..');

/** Returns the command of an MCP server from npm, without npx. */
export function npmServer(name: 'everything' | 'filesystem' | 'memory'): string {
  return join(root, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');
}

export interface EverythingServer {
  url: string;
  process: ChildProcess;
  close(): Promise<void>;
}

/** The real server-everything over HTTP, on loopback. */
export async function serveEverything(transport: 'sse' | 'streamableHttp', port = 0): Promise<EverythingServer> {
  const preload = import.meta.resolve('./listen-on-loopback.ts');
  const child = spawn(process.execPath, ['--import', preload, npmServer('everything'), transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({ input: child.stderr });
  const listening = new Promise<string>((found, fail) => {
    const seen: string[] = [];
    lines.on('line', (line) => {
      seen.push(line);
      const bound = /^listening on (\d+)$/.exec(line)?.[1];
      if (bound !== undefined) found(bound);
    });
    child.once('exit', () => fail(new Error(`server-everything ended: ${seen.join('\n')}`)));
  });
  const path = transport === 'sse' ? 'sse' : 'mcp';
  return {
    url: `http://127.0.0.1:${await listening}/${path}`,
    process: child,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

export interface RecordingProxy {
  url: string;
  /** The headers of every forwarded request. */
  headers: IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** Forwards everything to the server, and records the headers of its client. */
export async function recordHeaders(target: string): Promise<RecordingProxy> {
  const { origin, pathname } = new URL(target);
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, answer) => {
    headers.push(incoming.headers);
    const outgoing = request(new URL(incoming.url ?? '/', origin), {
      method: incoming.method,
      headers: incoming.headers,
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    headers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
