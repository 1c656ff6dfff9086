import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** A gateway of nothing but the SDK: its client before the child, its server over HTTP. */
const client = new Client({ name: 'gateway', version: '1' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2) }));
const handler = createMcpHandler(() => {
  const server = new Server({ name: 'gateway', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => client.listTools());
  server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
  return server;
});
const http = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const url = `http://127.0.0.1${request.url}`;
  const answer = await handler.fetch(new Request(url, { method: 'POST', headers, body: Buffer.concat(chunks) }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
});
http.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an AddressInfo.
  process.stdout.write(`${(http.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
