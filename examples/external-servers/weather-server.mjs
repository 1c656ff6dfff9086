// A minimal MCP server on stdio: one JSON message per line. Real servers use an SDK.
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const file = new URL('description.txt', import.meta.url);
const description = existsSync(file) ? readFileSync(file, 'utf8').trim() : 'Returns the forecast for a city.';

const forecast = {
  name: 'forecast',
  description,
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  annotations: { readOnlyHint: true },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [forecast] }),
  'tools/call': ({ arguments: { city } }) => ({ content: [{ type: 'text', text: `${city}: rain, 7 °C` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const run = methods[method];
  const reply = run ? { result: run(params) } : { error: { code: -32601, message: `Unknown method: ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
}
