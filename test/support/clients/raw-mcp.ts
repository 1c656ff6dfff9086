import { envelope, type RpcAnswer } from '../hubs/mcp-hub.ts';

/** The headers of a POST. */
export const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** POSTs a message to an MCP address. */
export function send(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: { ...usual, ...headers }, body: text, ...(signal && { signal }) });
}

/** Returns a JSON-RPC request. */
export function message(method: string, params: object = {}, id: string | number = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** Begins a session and returns the headers of its requests. */
export async function initialize(
  url: string,
  version = '2025-11-25',
  capabilities: object = {},
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } };
  const response = await send(url, message('initialize', params), headers);
  if (response.status !== 200) throw new Error(`initialize: ${response.status} ${await response.text()}`);
  return {
    ...headers,
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': version,
  };
}

/** Sends a request of 2026-07-28 with the headers it needs. */
export function sendStateless(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const name = params.name ?? params.uri;
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name ? { 'mcp-name': String(name) } : {}),
  };
  return send(url, message(method, { ...envelope(), ...params }), headers, signal);
}

/** Reads the messages of an event stream one by one. An empty event has no data. */
export function readEvents(response: Response): {
  next(): Promise<{ id?: string; data: RpcAnswer | undefined } | undefined>;
} {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  return {
    async next() {
      for (;;) {
        const end = rest.indexOf('\n\n');
        if (end !== -1) {
          const lines = rest.slice(0, end).split('\n');
          rest = rest.slice(end + 2);
          const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
          if (lines.every((line) => line.startsWith(':'))) continue;
          const [id, data] = [field('id'), field('data')];
          return { ...(id !== undefined && { id }), data: data ? JSON.parse(data) : undefined };
        }
        const chunk = await reader?.read();
        if (!chunk || chunk.done) return undefined;
        rest += chunk.value;
      }
    },
  };
}
