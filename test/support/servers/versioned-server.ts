// A small MCP server on stdio, as two replicas have it during an upgrade. Argument: the version that it announces.
import { createInterface } from 'node:readline';

const version = process.argv[2] ?? '';
const inputSchema = { type: 'object', properties: {} };
const tools = [
  { name: 'greet', description: `Greets as version ${version} does.`, inputSchema },
  { name: 'shared', description: 'Is the same in every version.', inputSchema },
  ...(version.startsWith('2.1') ? [{ name: 'added', description: 'Is new.', inputSchema }] : []),
];

process.stderr.write(`version ${version} has started\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) })}\n`);
}

function answer(method: string, params: { name?: string; protocolVersion?: string }): object {
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call') return { content: [{ type: 'text', text: `${params.name} of ${version}` }] };
  if (method !== 'initialize') return {};
  const { protocolVersion } = params;
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'versioned', version } };
}
