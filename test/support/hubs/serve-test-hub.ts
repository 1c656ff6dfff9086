import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEntry } from '../../../src/agents/agent-source.ts';
import type { AgentDetail } from '../../../src/agents/agents.contract.ts';
import type { Logger } from '../../../src/base/logger.ts';
import { type LoadedConfig, loadConfig } from '../../../src/config/load-config.ts';
import { type HttpServer, type ServeOptions, serveHttp } from '../../../src/http/server/serve.ts';
import { createHub, type Hub } from '../../../src/hub.ts';
import type { ResourceProvider } from '../../../src/resources/resource.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { fillHome } from '../databases/test-database.ts';
import { type OwnerHeader, ownerHeader } from './owner-key.ts';

export interface TestHubOptions {
  /** The text of a zoo.toml. */
  toml?: string;
  /** What callers without a key may do: `work` for tests that are not about who calls. */
  anonymous?: 'none' | 'use' | 'work';
  /** Settings of `[server]`, as if the config were trusted. */
  server?: Partial<LoadedConfig['config']['server']>;
  /** The environment variables of the hub. */
  env?: Record<string, string>;
  agents?: readonly AgentEntry[];
  tools?: readonly Tool[];
  resources?: readonly ResourceProvider[];
  serve?: Partial<ServeOptions>;
  /** Follows changes of the config, as a hub that stays does; off by default. */
  watch?: boolean;
  /** A hub that has ended. Its address is reused, so that a browser has the app cached. */
  instead?: TestHub;
  /** Replaces the SQLite file in the hub's folder. */
  db?: NonNullable<Parameters<typeof createHub>[0]['db']>;
}

export interface TestHub {
  hub: Hub;
  server: HttpServer;
  folder: string;
  /** The header of the owner's requests. */
  owner: OwnerHeader;
  /** The logged errors, each with its message first. */
  logged: unknown[];
  /** The messages of logged warnings. */
  warned: string[];
  /** Sends JSON and reads JSON. */
  call<B = UsualBody>(method: string, path: string, options?: CallOptions): Promise<Answer<B>>;
  /** Closes server and hub and removes the folder. */
  end(): Promise<void>;
}

export interface CallOptions {
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sends no credential. Otherwise the call comes from the owner, unless `headers` say something else. */
  isAnonymous?: boolean;
}

interface Answer<B> {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined at run time if the reply was not JSON. */
  body: B;
}

/** The fields that most tests read: of an agent, or of an error. */
type UsualBody = AgentDetail & {
  error: { code: string; message: string; details: { current: AgentDetail; submitted: AgentDetail } };
};

/** Serves a complete hub in a temporary folder on a free port. */
export async function serveTestHub(options: TestHubOptions = {}): Promise<TestHub> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-http-'));
  if (options.toml !== undefined) await writeFile(join(folder, 'zoo.toml'), options.toml);
  const config = await loadConfig({ cwd: folder, env: { ...options.env, AGENT_ZOO_HOME: folder }, home: folder });
  if (options.anonymous) config.config.server.anonymous = options.anonymous;
  Object.assign(config.config.server, options.server);
  const logged: unknown[] = [];
  const warned: string[] = [];
  const ignore = () => {};
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: (_fields, message) => void warned.push(message),
    error: (fields, message) => logged.push(message, fields),
  };
  const { agents = [], tools = [], resources = [] } = options;
  const { db } = options;
  if (!db) await fillHome(folder);
  const hub = await createHub({
    config,
    agents,
    tools,
    resources,
    logger,
    watch: options.watch ?? false,
    ...(db && { db }),
  });
  const serve = (port: number) => serveHttp(hub, { host: '127.0.0.1', port, ...options.serve });
  const { instead } = options;
  // Another process may have taken the port in the meantime.
  const server = await (instead ? serve(Number(new URL(instead.server.url).port)).catch(() => serve(0)) : serve(0));
  const owner = await ownerHeader({ hub });
  return {
    hub,
    server,
    folder,
    owner,
    logged,
    warned,
    call: (method, path, call) =>
      callJson(`${server.url}${path}`, method, {
        ...call,
        headers: { ...(!call?.isAnonymous && owner), ...call?.headers },
      }),
    async end() {
      await server.close();
      await hub.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function callJson<B>(url: string, method: string, options: CallOptions = {}): Promise<Answer<B>> {
  const { body } = options;
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...options.headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
