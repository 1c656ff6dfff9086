import { describe, expect, it } from 'vitest';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { countTools, nameInGroup, toolRows, toolSearch, toolSources } from './filter-tools.ts';

function tool(name: string, rest: Partial<ToolDetailBody> = {}): ToolDetailBody {
  return {
    name,
    title: name,
    description: '',
    origin: 'built-in',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    inputSchema: { type: 'object' },
    outputSchema: null,
    server: null,
    isForMembers: false,
    requiresApproval: false,
    agents: [],
    memberTypes: [],
    ...rest,
  };
}

const hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
const tools = [
  tool('mcp__zed__b', { origin: 'server zed', server: { name: 'zed', remoteName: 'b' }, annotations: hints }),
  tool('mcp__git__push', {
    origin: 'server git',
    server: { name: 'git', remoteName: 'push' },
    description: 'Sends commits away',
    requiresApproval: true,
    annotations: { ...hints, readOnlyHint: true },
  }),
  tool('deploy', { origin: 'code' }),
  tool('greet', { origin: 'tools/greet.lua' }),
  tool('mcp__mail__send', { isForMembers: true }),
  tool('search', { annotations: { ...hints, readOnlyHint: true } }),
  tool('get'),
];
const textOf = (rows: ReturnType<typeof toolRows>) =>
  rows.map((row) => (row.type === 'group' ? `${row.title} (${row.count})` : row.tool.name));

describe('the rows', () => {
  it('are grouped by origin, with what was added before what every hub has', () => {
    const rows = toolRows(tools, {});
    expect(textOf(rows)).toEqual([
      'git (1)',
      'mcp__git__push',
      'zed (1)',
      'mcp__zed__b',
      'Scripts (1)',
      'greet',
      'Code (1)',
      'deploy',
      'Built-in (2)',
      'get',
      'search',
      'Team (1)',
      'mcp__mail__send',
    ]);
    expect(countTools(rows)).toBe(7);
    expect(toolSources(tools).map(({ title }) => title)).toEqual(['git', 'zed', 'Scripts', 'Code', 'Built-in', 'Team']);
  });

  it.each([
    [{ q: 'COMMITS git' }, ['mcp__git__push']],
    [{ q: 'nothing' }, []],
    [{ only: 'reads' as const }, ['mcp__git__push', 'search']],
    [{ from: 'server zed' }, ['mcp__zed__b']],
    [{ from: 'builtIn', q: 'get' }, ['get']],
    [{ from: 'server none' }, []],
    [{ only: 'destructive' as const }, ['mcp__zed__b']],
    [{ only: 'approval' as const }, ['mcp__git__push']],
    [{ only: 'external' as const }, ['mcp__git__push', 'mcp__zed__b']],
    [{ only: 'external' as const, q: 'zed' }, ['mcp__zed__b']],
  ])('for %j are %j', (search, names) => {
    expect(toolRows(tools, search).flatMap((row) => (row.type === 'tool' ? [row.tool.name] : []))).toEqual(names);
  });
});

it('a tool appears without its server prefix, unless it was renamed', () => {
  const server = { name: 'git', remoteName: 'push' };
  expect(nameInGroup(tool('mcp__git__push', { server }))).toBe('push');
  expect(nameInGroup(tool('send_commits', { server }))).toBe('send_commits');
  expect(nameInGroup(tool('mcp__mail__send', { isForMembers: true }))).toBe('mcp__mail__send');
});

it('the URL keeps only valid parameters', () => {
  expect(toolSearch({ q: 42, only: 'reads', from: 'code', tab: 'schema' })).toEqual({
    q: '42',
    only: 'reads',
    from: 'code',
    tab: 'schema',
  });
  expect(toolSearch({ q: '', only: 'all', from: '', tab: 'try', other: 1 })).toEqual({});
});
