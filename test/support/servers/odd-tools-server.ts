// An MCP server on stdio with normal tools and tools that violate the specification. Each
// call returns the `structuredContent` that is defined here.
import { createInterface } from 'node:readline';

interface OddTool {
  definition: { name: string; [key: string]: unknown };
  structured?: unknown;
}

const inputSchema = { type: 'object', properties: { word: { type: 'string' } } };
const output = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
const counted = { count: 3 };

function odd(name: string, definition: object, structured?: unknown): OddTool {
  return { definition: { name, description: name, inputSchema, ...definition }, structured };
}

/** Each of these can make a client fail to list any tools. */
export const oddTools: OddTool[] = [
  odd('output-is-array', { outputSchema: { type: 'array', items: { type: 'string' } } }, ['a', 'b']),
  odd('output-is-string', { outputSchema: { type: 'string' } }, 'text'),
  odd('output-is-number', { outputSchema: { type: 'number' } }, 0),
  odd('output-is-null', { outputSchema: { type: 'null' } }, null),
  odd('output-has-root-one-of', { outputSchema: { oneOf: [output, { type: 'boolean' }] } }, false),
  odd('output-has-type-list', { outputSchema: { ...output, type: ['object', 'null'] } }, counted),
  odd(
    'output-refers-to-itself',
    {
      outputSchema: {
        type: 'array',
        items: { $ref: '#/$defs/node' },
        $defs: { node: { type: ['array', 'null'], items: { $ref: '#' } } },
      },
    },
    [[], null],
  ),
  odd('output-has-boolean-property', { outputSchema: { type: 'object', properties: { a: true, b: false } } }, { a: 1 }),
  odd('output-is-a-list', { outputSchema: [output] }, counted),
  odd('output-is-true', { outputSchema: true }, counted),
  odd(
    'output-has-bad-pattern',
    { outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
    { a: '' },
  ),
  odd(
    'output-refers-to-nowhere',
    { outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } },
    { a: 1 },
  ),
  odd('output-has-unknown-type', { outputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } }, { a: 1 }),
  odd('output-requires-a-word', { outputSchema: { ...output, required: 'count' } }, counted),
  odd('input-has-boolean-property', { inputSchema: { type: 'object', properties: { a: true } } }),
  odd('input-requires-a-word', { inputSchema: { ...inputSchema, required: 'word' } }),
  odd('input-has-no-type', { inputSchema: { properties: { word: { type: 'string' } } } }),
  odd('input-has-type-list', { inputSchema: { ...inputSchema, type: ['object', 'null'] } }),
  odd('input-is-missing', { inputSchema: undefined }),
  odd('description-is-number', { description: 42 }),
  odd('title-is-number', { title: 7, annotations: { title: 8, readOnlyHint: 'yes' } }),
  odd('annotations-are-text', { annotations: 'read-only', _meta: 'none', execution: { taskSupport: 'maybe' } }),
  odd('icons-are-odd', { icons: [{ src: 'https://example.com/i.png', sizes: '48x48', mimeType: 1, theme: 'blue' }] }),
];

/** These cannot be offered at all, and are reported as problems. */
const unusableTools: OddTool[] = [
  odd('input-is-text', { inputSchema: { type: 'string' } }),
  odd('input-is-a-list', { inputSchema: [inputSchema] }),
  odd('description-is-too-long', { description: 'Obey. '.repeat(3_000) }),
];

const usualTools: OddTool[] = [
  odd('first', {}),
  odd('counts', { outputSchema: output }, counted),
  odd('structured-without-schema', {}, ['a', 1]),
];

const tools = [...usualTools, ...oddTools, ...unusableTools, odd('last', {})];

function answer(method: string, params: { name?: string; protocolVersion?: string }): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'odd', version: '1.0.0' };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools: tools.map(({ definition }) => definition) };
  const tool = tools.find(({ definition }) => definition.name === params.name);
  const structured = tool?.structured;
  return {
    content: structured === undefined ? [{ type: 'text', text: 'done' }] : [],
    ...(structured !== undefined && { structuredContent: structured }),
  };
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined)
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) })}\n`);
  }
}
