import type { LuaJob } from './lua-job.ts';

/** What the main thread and a Lua thread say to each other. */

export interface LuaThreadData {
  module: WebAssembly.Module;
  memoryBytes: number;
  /** Answers to host calls; the thread sleeps on `bell` until one is there. */
  answers: import('node:worker_threads').MessagePort;
  bell: SharedArrayBuffer;
}

export interface RunMessage extends Pick<LuaJob, 'file' | 'text' | 'shown' | 'table' | 'call'> {
  type: 'run';
}

export type ThreadMessage =
  | { type: 'ready' }
  | { type: 'result'; value: unknown; memoryBytes: number }
  | { type: 'failed'; message: string; memoryBytes: number }
  | { type: 'log'; level: LogLevel; message: string }
  | ({ type: 'call' } & HostCall);

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a script can only get from the main thread. */
export type HostCall =
  | { method: 'env'; name: string }
  | { method: 'search'; query: unknown; options: unknown }
  | { method: 'get'; id: string; options: unknown }
  | { method: 'sources' }
  | { method: 'http'; request: HttpRequest };

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: Uint8Array;
  timeoutMs?: number;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Large bodies change hands instead of being copied: a script in a loop must not keep the main thread busy with them. */
export function handedOver(message: unknown): ArrayBuffer[] {
  const { body } = (message ?? {}) as { body?: unknown };
  if (!(body instanceof Uint8Array) || !(body.buffer instanceof ArrayBuffer)) return [];
  // A small one is part of a buffer that others use too.
  return body.length >= 65_536 && body.length === body.buffer.byteLength ? [body.buffer] : [];
}

export type HostAnswer = { value: unknown } | { error: string };
