import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

export interface RpcMessage {
  id?: number;
  method?: string;
  result?: unknown;
  error?: unknown;
}

/** A process that speaks newline-delimited JSON-RPC. This minimal client is the same for every contestant. */
export class StdioPeer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: RpcMessage) => void>();
  #next = 1;
  #rest = '';

  constructor(command: string, args: readonly string[], env: Record<string, string> = {}) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    this.#child.stdout?.setEncoding('utf8');
    this.#child.stdout?.on('data', (chunk: string) => this.#receive(chunk));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  request(method: string, params: object): Promise<RpcMessage> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#write({ jsonrpc: '2.0', id, method, params });
    });
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exited;
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #receive(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as RpcMessage;
      if (message.id === undefined) continue;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
  }
}

export interface Served {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a child process that prints its port on the first line. */
export async function startPrintingPort(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Served> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const port = Number(/(\d+)\D*$/.exec(line.replace(/\/$/, ''))?.[1]);
    if (!Number.isInteger(port) || port < 1024) continue;
    child.stdout.resume();
    return {
      port,
      pid: child.pid ?? 0,
      async stop() {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      },
    };
  }
  throw new Error(`${command} ${args.join(' ')} printed no port`);
}

export type HttpCall = (
  body: object,
  headers?: Record<string, string>,
) => Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }>;

export function httpCaller(port: number, path: string, connections: number): HttpCall & { close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const call: HttpCall = (body, headers = {}) =>
    new Promise((resolve, reject) => {
      const payload = Buffer.from(JSON.stringify(body));
      const sent = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'content-length': payload.length,
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  return Object.assign(call, { close: () => agent.destroy() });
}

/** Returns the calls per second with `inFlight` calls open at any time. */
export async function throughput(
  total: number,
  inFlight: number,
  call: (index: number) => Promise<unknown>,
): Promise<number> {
  let started = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (started < total) await call(started++);
    }),
  );
  return (total / (performance.now() - began)) * 1000;
}
