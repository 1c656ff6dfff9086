import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createEchoServer } from './sdk-server.ts';

const handler = createMcpHandler(() => createEchoServer());
const server = createServer(getRequestListener((request) => handler.fetch(request)));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
