import { expect, it } from 'vitest';
import type { RemoteTool } from '../../servers/supervise/server-connection.ts';
import { mirrorHeaders } from './mirror-headers.ts';

function tool(properties: object, name = 'tool'): RemoteTool {
  return { name, inputSchema: { type: 'object', properties } };
}

it('marked arguments are sent as headers, at any depth', () => {
  const headers = mirrorHeaders(
    [
      tool({
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry' } } },
        count: { type: 'integer', 'x-mcp-header': 'Count' },
        plain: { type: 'string' },
      }),
    ],
    () => {},
  );
  expect(headers.of('tool', { region: 'eu', deep: { dry: true }, count: 3, plain: 'x' })).toEqual({
    'Mcp-Param-Region': 'eu',
    'Mcp-Param-Dry': 'true',
    'Mcp-Param-Count': '3',
  });
  expect(headers.of('tool', { region: ' Zürich', deep: null, count: 2 ** 60 })).toEqual({
    'Mcp-Param-Region': `=?base64?${Buffer.from(' Zürich').toString('base64')}?=`,
  });
  expect(headers.of('other', {})).toBeUndefined();
});

it.each([
  ['in a list', { list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'X' } } }],
  ['on an object', { deep: { type: 'object', 'x-mcp-header': 'X' } }],
  ['on a number', { much: { type: 'number', 'x-mcp-header': 'X' } }],
  ['with an invalid name', { a: { type: 'string', 'x-mcp-header': 'X Y' } }],
  ['twice', { a: { type: 'string', 'x-mcp-header': 'X' }, b: { type: 'string', 'x-mcp-header': 'x' } }],
])('a tool that declares a header %s is left out, and this is logged', (_where, properties) => {
  const log: string[] = [];
  const { tools } = mirrorHeaders([tool(properties), tool({}, 'good')], (_level, text) => log.push(text));
  expect(tools.map(({ name }) => name)).toEqual(['good']);
  expect(log).toEqual([expect.stringContaining('"tool"')]);
});

it('the mark inside data has no meaning', () => {
  const { tools } = mirrorHeaders([tool({ a: { type: 'object', default: { 'x-mcp-header': 1 } } })], () => {});
  expect(tools).toHaveLength(1);
});
