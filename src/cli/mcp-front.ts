import type { Readable, Writable } from 'node:stream';
import type { Greeting } from '../mcp-server/protocol/greeting.ts';
import type { Greeted } from '../mcp-server/stdio/stdio.ts';
import { findGreeting, type GreetingRequest } from './greeting-cache.ts';

/** How long to wait for the client's first messages. */
const maxWaitMs = 100;

/**
 * Replies to the first messages of an MCP client with cached replies. Resolves when the client has its list of tools, sends
 * another request, or stays silent. Resolves to undefined, without reading anything, if there are no valid cached replies.
 */
export async function greet(
  { stdin, stdout }: { stdin: Readable; stdout: Writable },
  request: GreetingRequest,
): Promise<Greeted | undefined> {
  const greeting = findGreeting(request);
  if (!greeting) return undefined;
  const greeted = { handled: [] as string[], waiting: [] as string[], rest: '', greeting };
  const { promise, resolve } = Promise.withResolvers<void>();
  const onData = (chunk: string) => {
    const lines = (greeted.rest + chunk).split('\n');
    greeted.rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') receive(line);
  };
  const receive = (line: string) => {
    const message = greeted.waiting.length === 0 ? readMessage(line) : undefined;
    const result = message && replyTo(message, greeting);
    if (message && result !== undefined) {
      if (message.method === 'initialize') greeted.handled.push(line);
      stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}\n`);
      if (message.method === 'tools/list') resolve();
    } else if (message?.method === 'notifications/initialized') {
      greeted.handled.push(line);
    } else {
      greeted.waiting.push(line);
      resolve();
    }
  };
  const timer = setTimeout(resolve, maxWaitMs);
  stdin.setEncoding('utf8');
  stdin.on('data', onData);
  stdin.once('end', resolve);
  // The client has disconnected. The hub will find the end of its input.
  stdin.once('error', resolve);
  stdout.on('error', () => resolve());
  await promise;
  clearTimeout(timer);
  stdin.off('data', onData);
  stdin.off('end', resolve);
  stdin.off('error', resolve);
  stdin.pause();
  return greeted;
}

interface Message {
  id?: string | number;
  method: string;
  params?: Record<string, unknown>;
}

/** Returns undefined for everything but a plain request or notification. */
function readMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('method' in value) || !('jsonrpc' in value)) return undefined;
    const { jsonrpc, id, method, params } = value as Record<string, unknown>;
    if (jsonrpc !== '2.0' || typeof method !== 'string') return undefined;
    if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params)))
      return undefined;
    if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') return undefined;
    return { ...(id !== undefined && { id }), method, ...(params && { params: params as Record<string, unknown> }) };
  } catch {
    return undefined;
  }
}

function replyTo({ id, method, params = {} }: Message, { initialize, tools }: Greeting): string | undefined {
  if (id === undefined) return undefined;
  if (method === 'initialize' && typeof params.protocolVersion === 'string')
    return Object.hasOwn(initialize, params.protocolVersion) ? initialize[params.protocolVersion] : undefined;
  // A request with `_meta` may belong to the stateless revision.
  return method === 'tools/list' && params.cursor === undefined && params._meta === undefined ? tools : undefined;
}
