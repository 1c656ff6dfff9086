import { createInterface } from 'node:readline';

/** A hand-written MCP server on stdio with as many echo tools as asked for: what every gateway of the bench stands before. */
const count = Number(process.argv[2] ?? 1);
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = Array.from({ length: count }, (_, index) => ({
  name: index === 0 ? 'echo' : `echo_${index}`,
  description: 'Answers with its text.',
  inputSchema,
}));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answer(method, params);
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}\n`);
}

function answer(method: string, params: { protocolVersion?: string; arguments?: { text?: string } }): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'echo', version: '1' };
    return { protocolVersion: params.protocolVersion ?? '2025-06-18', capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments?.text ?? '' }] };
  return {};
}
