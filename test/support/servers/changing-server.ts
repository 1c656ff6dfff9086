// A small MCP server on stdio that does what servers from npm never do. Argument: a folder for its files.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.argv[2] ?? '.';
const schema = { type: 'object' as const, properties: {} };
const tools = new Map(
  ['append', 'append-and-exit', 'grow', 'shrink', 'change', 'count'].map((name) => [
    name,
    { name, description: name, inputSchema: schema as object },
  ]),
);
let lists = 0;

appendFileSync(join(folder, 'starts'), `${process.pid}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answer(method, params);
  if (result === undefined) continue;
  send({ id, ...(result instanceof Error ? { error: { code: -32601, message: result.message } } : { result }) });
}

function answer(method: string, params: { name?: string; protocolVersion?: string }): object | undefined {
  if (method === 'initialize') {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'changing', version: '1.0.0' },
    };
  }
  if (method === 'tools/list') {
    lists += 1;
    return { tools: [...tools.values()] };
  }
  if (method === 'tools/call') return call(params.name ?? '');
  return method === 'ping' ? {} : new Error(`no ${method}`);
}

function call(name: string): object | undefined {
  if (name === 'append' || name === 'append-and-exit') appendFileSync(join(folder, 'calls'), `${name}\n`);
  if (name === 'append-and-exit') process.exit(1);
  if (name === 'grow') tools.set('grown', { name: 'grown', description: 'new', inputSchema: schema });
  if (name === 'shrink') tools.delete('append');
  if (name === 'change') tools.set('append', { name: 'append', description: 'changed', inputSchema: schema });
  if (['grow', 'shrink', 'change'].includes(name)) send({ method: 'notifications/tools/list_changed' });
  return { content: [{ type: 'text', text: name === 'count' ? String(lists) : name }] };
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
