// An MCP server on stdio whose tools use rare features: icons, `_meta`, a URL to visit first. Argument: the
// file that marks the URL as visited.
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const visited = process.argv[2] ?? '';
const inputSchema = { type: 'object', properties: {} };

/** Part of the URL looks like a secret, but must arrive unchanged. */
export const addressToVisit = 'https://example.com/connect?token=abcdef0123456789&state=one';

export const richIcons = [
  { src: 'https://example.com/rich.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' },
  { src: 'data:image/svg+xml;base64,PHN2Zy8+' },
];

const tools = [
  {
    name: 'rich',
    title: 'A rich tool',
    inputSchema,
    icons: [...richIcons, { src: 'javascript:alert(1)' }, 'no icon'],
  },
  { name: 'visit', inputSchema },
];

const answers: Record<string, () => object> = {
  rich: () => ({
    result: {
      content: [{ type: 'text', text: 'rich' }],
      _meta: {
        'example.com/cost': { tokens: 3 },
        'io.modelcontextprotocol/serverInfo': { name: 'other', version: '1' },
      },
    },
  }),
  visit: () => {
    if (existsSync(visited)) return { result: { content: [{ type: 'text', text: 'welcome' }] } };
    const elicitation = {
      mode: 'url',
      elicitationId: 'visit-1',
      url: addressToVisit,
      message: 'Connect your account.',
    };
    const trap = { ...elicitation, url: 'javascript:alert(1)' };
    return { error: { code: -32042, message: 'An account is needed.', data: { elicitations: [elicitation, trap] } } };
  },
};

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined)
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) })}\n`);
  }
}

function answer(method: string, params: { name?: string; protocolVersion?: string }): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'rich', version: '1.0.0' };
    return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools } };
  return answers[params?.name ?? '']?.() ?? { error: { code: -32601, message: `no ${method}` } };
}
