import type { IncomingMessage } from 'node:http';
import type { OAuthServer, Send } from './oauth-server.ts';

type Reply = [status: number, value: unknown, headers?: Record<string, string>];

const names = ['whoami', 'administer', 'break'];

/** The MCP server that requires a sign-in. `administer` needs another scope; `break` replies with everything it received. */
export function answerMcp(
  server: OAuthServer,
  { request, body, send }: { request: IncomingMessage; body: string; send: Send },
): void {
  send(...replyTo(server, request, body));
}

function replyTo(server: OAuthServer, { method: verb, headers }: IncomingMessage, body: string): Reply {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  const known = token === undefined ? undefined : server.access.get(token);
  const metadata = `resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`;
  if (!known || known.expiresAt <= server.now()) {
    const challenge = `Bearer ${metadata}, scope="tools"${token === undefined ? '' : ', error="invalid_token"'}`;
    return [401, { error: `No. You sent ${token}.` }, { 'www-authenticate': challenge }];
  }
  if (verb !== 'POST') return [405, {}];
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return [202, {}];
  const result = resultOf(method);
  if (result) return [200, { jsonrpc: '2.0', id, result }];
  if (method !== 'tools/call') return [200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'No such method' } }];
  if (params.name === 'administer' && !known.scope.split(' ').includes('admin')) {
    const challenge = `Bearer error="insufficient_scope", scope="admin", ${metadata}`;
    return [403, { error: 'insufficient_scope' }, { 'www-authenticate': challenge }];
  }
  if (params.name === 'break') return [500, { error: `It broke on ${headers.authorization}.` }];
  server.events.push(`call ${params.name}`);
  const content = [{ type: 'text', text: `family ${known.family}, ${known.scope}` }];
  return [200, { jsonrpc: '2.0', id, result: { content } }];
}

function resultOf(method: string): object | undefined {
  if (method === 'initialize') {
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'behind-oauth', version: '1.0.0' },
    };
  }
  if (method !== 'tools/list') return undefined;
  return { tools: names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })) };
}
