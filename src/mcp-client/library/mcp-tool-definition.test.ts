import { describe, expect, it } from 'vitest';
import {
  filterTools,
  type MCPToolDefinition,
  remoteNameOf,
  type ToolTransformer,
  transformTools,
  withRemoteName,
} from './mcp-tool-definition.ts';

const read: MCPToolDefinition = {
  name: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object', properties: {} },
};
const write: MCPToolDefinition = { name: 'write', inputSchema: { type: 'object' } };
const listed = [read, write].map((tool) => withRemoteName(tool, tool.name));

const prefix: ToolTransformer = { transform: (tool) => ({ ...tool, name: `mcp_${tool.name}` }) };
const shout: ToolTransformer = { transform: (tool) => ({ ...tool, name: tool.name.toUpperCase() }) };

describe('transformers', () => {
  it('are applied in order, and the server keeps its own name for the tool', () => {
    const tools = transformTools(listed, [prefix, shout]);
    expect(tools.map((tool) => [tool.name, remoteNameOf(tool)])).toEqual([
      ['MCP_READ', 'read'],
      ['MCP_WRITE', 'write'],
    ]);
  });

  it('change description and schema without changing the original definition', () => {
    const inputSchema = { type: 'object' as const, required: ['path'] };
    const [tool] = transformTools(listed, [
      { transform: (each) => ({ ...each, description: '[Files]', inputSchema }) },
    ]);
    expect(tool).toMatchObject({ description: '[Files]', inputSchema });
    expect(JSON.stringify(listed[0])).toBe(JSON.stringify(read));
  });

  it('remove a tool by returning null, and later transformers do not see it', () => {
    const seen: string[] = [];
    const tools = transformTools(listed, [
      { transform: (tool) => (tool.name === 'write' ? null : tool) },
      {
        transform: (tool) => {
          seen.push(tool.name);
          return tool;
        },
      },
    ]);
    expect(tools.map(({ name }) => name)).toEqual(['read']);
    expect(seen).toEqual(['read']);
  });

  it('that return a new definition still call the original tool', () => {
    const [tool] = transformTools(listed, [{ transform: () => ({ name: 'new', inputSchema: { type: 'object' } }) }]);
    expect(tool && remoteNameOf(tool)).toBe('read');
  });

  it('cannot redirect a call to another tool', () => {
    const other = withRemoteName(write, 'write');
    const [tool] = transformTools(listed, [{ transform: () => ({ ...other, name: 'read' }) }]);
    expect(tool && remoteNameOf(tool)).toBe('read');
  });

  it.each([
    ['undefined', undefined],
    ['no name', { inputSchema: { type: 'object' } }],
    ['no schema', { name: 'x' }],
  ])('that return %s cause an error that says what to return', (_name, answer) => {
    expect(() => transformTools(listed, [{ transform: () => answer as never }])).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('"read"') }),
    );
  });
});

const tools = ['read_file', 'write_file', 'list_directory', 'delete_file'].map((name) => ({ name }));

it.each([
  ['no filter keeps all, in order', {}, ['read_file', 'write_file', 'list_directory', 'delete_file']],
  [
    'null means no filter',
    { include: null, exclude: null },
    ['read_file', 'write_file', 'list_directory', 'delete_file'],
  ],
  ['an empty include keeps none', { include: [] }, []],
  ['names are exact', { include: ['read_file', 'read'] }, ['read_file']],
  ['stars stand for anything', { include: ['*_file'] }, ['read_file', 'write_file', 'delete_file']],
  ['exclude wins over include', { include: ['*_file'], exclude: ['delete*', 'write_file'] }, ['read_file']],
  ['exclude alone keeps the rest', { exclude: ['*_file'] }, ['list_directory']],
])('%s', (_name, filter, expected) => {
  expect(filterTools(tools, filter).map(({ name }) => name)).toEqual(expected);
});
