import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least a gateway can be: HTTP in, one line to the child with an id of its own, the child's line back out. */
const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map<number, { response: ServerResponse; id: unknown }>();
let next = 1;
let rest = '';

child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, result } = JSON.parse(line);
    const call = waiting.get(id);
    waiting.delete(id);
    call?.response.setHeader('content-type', 'application/json');
    call?.response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
  }
});

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) return response.writeHead(202).end();
    const own = next++;
    waiting.set(own, { response, id });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: own, method, params })}\n`);
  });
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an AddressInfo.
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => {
  child.kill();
  process.exit(0);
});
