import { createServer } from 'node:http';

/** A bare JSON echo on Node's server: the least that a call over HTTP can cost. */
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const { input } = JSON.parse(body);
    const text = JSON.stringify({ success: true, data: input, timestamp: new Date().toISOString() });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
