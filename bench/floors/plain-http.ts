import { createServer } from 'node:http';

/** A hand-written JSON-RPC echo: the least that MCP over HTTP can cost. */
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const message = JSON.parse(body);
    const result = { content: [{ type: 'text', text: JSON.stringify(message.params?.arguments ?? {}) }] };
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
