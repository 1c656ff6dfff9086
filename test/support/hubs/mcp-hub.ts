import { homedir } from 'node:os';
import { PassThrough } from 'node:stream';
import type { AgentEntry } from '../../../src/agents/agent-source.ts';
import type { Logger } from '../../../src/base/logger.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createHub, type Hub } from '../../../src/hub.ts';
import { type StdioOptions, serveMcpStdio } from '../../../src/mcp-server/stdio/stdio.ts';
import type { ResourceProvider } from '../../../src/resources/resource.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import type { TestDatabase } from '../databases/test-database.ts';

export interface McpHubOptions {
  agents?: readonly AgentEntry[];
  tools?: readonly Tool[];
  resources?: readonly ResourceProvider[];
  /** Default: a database in memory. */
  db?: TestDatabase['db'];
}

/** Opens a complete hub. `logged` collects error messages. */
export async function openMcpHub(options: McpHubOptions = {}): Promise<Hub & { logged: string[] }> {
  const logged: string[] = [];
  const ignore = () => {};
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (_fields, message) => logged.push(message),
  };
  const config = await loadConfig({ cwd: process.cwd(), env: process.env, home: homedir() });
  // Most tests are about the protocol, with tools of their own.
  config.config.server.anonymous = 'work';
  const hub = await createHub({ config, db: { path: ':memory:' }, watch: false, logger, ...options });
  return Object.assign(hub, { logged });
}

export interface RpcAnswer {
  id?: string | number | null;
  method?: string;
  // Tests inspect any message.
  params?: Record<string, unknown>;
  result?: Record<string, unknown> & { _meta?: Record<string, unknown> };
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** Returns a list from a result, with the type that the test expects. */
export function listOf<T = Record<string, string>>(answer: RpcAnswer, field: string): T[] {
  const list = answer.result?.[field];
  if (!Array.isArray(list)) throw new Error(`Expected a list "${field}", got ${JSON.stringify(answer).slice(0, 500)}`);
  return list;
}

/** Returns the `_meta` of a request of revision 2026-07-28. */
export function envelope(capabilities: object = {}, extra: object = {}): { _meta: Record<string, unknown> } {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...extra,
    },
  };
}

/** A raw protocol client on a pair of streams, served in this process. */
export class LineClient {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly received: RpcAnswer[] = [];
  readonly done: Promise<void>;
  readonly #waiting: { matches(message: RpcAnswer): boolean; resolve(message: RpcAnswer): void }[] = [];
  #rest = '';
  #next = 1;

  constructor(hub: Hub, options: Omit<StdioOptions, 'input' | 'output'> = {}) {
    this.output.setEncoding('utf8');
    this.output.on('data', (chunk: string) => this.#receive(chunk));
    this.done = serveMcpStdio(hub, { ...options, input: this.input, output: this.output });
    this.done.catch(() => {});
  }

  write(text: string | object): void {
    this.input.write(`${typeof text === 'string' ? text : JSON.stringify(text)}\n`);
  }

  notify(method: string, params?: object): void {
    this.write({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Sends a request and waits for its reply. */
  request(method: string, params: object = {}): Promise<RpcAnswer> {
    const id = this.#next++;
    const answer = this.until((message) => message.id === id && message.method === undefined);
    this.write({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  async initialize(protocolVersion = '2025-11-25', capabilities: object = {}): Promise<RpcAnswer> {
    const answer = await this.request('initialize', {
      protocolVersion,
      capabilities,
      clientInfo: { name: 'test', version: '1' },
    });
    this.notify('notifications/initialized');
    return answer;
  }

  /** Resolves with the next message that matches. */
  until(matches: (message: RpcAnswer) => boolean): Promise<RpcAnswer> {
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  async end(): Promise<void> {
    this.input.end();
    await this.done;
  }

  #receive(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const messages: RpcAnswer[] = [JSON.parse(line)].flat();
      for (const message of messages) {
        this.received.push(message);
        const found = this.#waiting.findIndex((each) => each.matches(message));
        if (found !== -1) this.#waiting.splice(found, 1)[0]?.resolve(message);
      }
    }
  }
}
