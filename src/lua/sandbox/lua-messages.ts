import type { LuaItem, LuaJob } from './lua-job.ts';

/** The messages between the main thread and a Lua thread. */

export interface LuaThreadData {
  module: WebAssembly.Module;
  memoryBytes: number;
  /** Delivers the replies to host calls. The thread sleeps on `bell` until a reply arrives. */
  answers: import('node:worker_threads').MessagePort;
  bell: SharedArrayBuffer;
}

export interface RunMessage extends Pick<LuaJob, 'file' | 'text' | 'shown' | 'table' | 'call'> {
  type: 'run';
  memoryBytes: number;
  /** Whether the function returns a list, to be sent in batches. */
  isList: boolean;
}

export type ThreadMessage =
  | { type: 'ready' }
  | { type: 'result'; value: unknown; memoryBytes: number }
  | { type: 'failed'; message: string; memoryBytes: number }
  | { type: 'log'; level: LogLevel; message: string }
  | ({ type: 'call' } & HostCall);

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A call that only the main thread can answer. */
export type HostCall =
  | { method: 'env'; name: string }
  | { method: 'search'; query: unknown; options: unknown }
  | { method: 'get'; id: string; options: unknown }
  | { method: 'sources' }
  | { method: 'http'; request: HttpRequest }
  | { method: 'items'; items: readonly LuaItem[] };

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

/** Returns the buffers to transfer instead of copying, so that a script in a loop does not keep the main thread busy. */
export function transferableBuffers(message: unknown): ArrayBuffer[] {
  const { body } = (message ?? {}) as { body?: unknown };
  if (!(body instanceof Uint8Array) || !(body.buffer instanceof ArrayBuffer)) return [];
  // Small bodies share a buffer with other data and cannot be transferred.
  return body.length >= 65_536 && body.length === body.buffer.byteLength ? [body.buffer] : [];
}

export type HostAnswer = { value: unknown } | { error: string };
