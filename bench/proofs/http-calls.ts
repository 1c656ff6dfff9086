export type Headers = Record<string, string>;

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies of several shapes, each checked where it is read.
  body: any;
}

const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Begins an MCP session, and returns the headers of its requests. */
export async function beginSession(web: string): Promise<Headers> {
  const clientInfo = { name: 'worker', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const response = await fetch(`${web}/mcp`, { method: 'POST', headers: jsonHeaders, body });
  const session = {
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  await response.text();
  await fetch(`${web}/mcp`, {
    method: 'POST',
    headers: { ...jsonHeaders, ...session },
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  });
  return session;
}

export async function post(url: string, body: object, headers: Headers = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, body: await response.json() };
}
