import { describe, expect, it } from 'vitest';
import type { ServerTool } from '../../../src/servers/servers.ts';
import { isWaiting } from '../../parts/servers/tool-status.ts';
import { checkAlias, filterTools } from './filter-tools.ts';

const tool = (remoteName: string, change: Partial<ServerTool> = {}): ServerTool => ({
  remoteName,
  localName: `mcp__x__${remoteName}`,
  status: 'active',
  note: null,
  accepted: { name: remoteName, description: `Does ${remoteName}`, inputSchema: { type: 'object' } },
  proposed: null,
  proposedHash: null,
  versions: [],
  setting: { tool: remoteName, enabled: true, alias: null, description: null, requiresApproval: null },
  requiresApproval: false,
  closeTo: [],
  ...change,
});

const tools = [
  tool('read'),
  tool('write', { status: 'off' }),
  tool('fetch', {
    setting: { tool: 'fetch', enabled: true, alias: null, description: 'Gets a page', requiresApproval: null },
  }),
];
const names = (query: string, status: Parameters<typeof filterTools>[2] = '') =>
  filterTools(tools, query, status).map((each) => each.remoteName);

describe('filterTools', () => {
  it('matches every word against names and both descriptions', () => {
    expect(names('')).toEqual(['read', 'write', 'fetch']);
    expect(names('WRITE')).toEqual(['write']);
    expect(names('page gets')).toEqual(['fetch']);
    expect(names('does mcp__x')).toHaveLength(3);
    expect(names('nothing of it')).toEqual([]);
  });

  it('filters by status', () => {
    expect(names('', 'off')).toEqual(['write']);
    expect(names('read', 'off')).toEqual([]);
  });
});

it('a tool waits while it has a proposed definition', () => {
  const proposed = { name: 'read', inputSchema: { type: 'object' as const } };
  expect(isWaiting(tool('read', { status: 'changed', proposed }))).toBe(true);
  expect(isWaiting(tool('read', { status: 'new', accepted: null, proposed }))).toBe(true);
  expect(isWaiting(tool('read'))).toBe(false);
  expect(isWaiting(tool('read', { status: 'gone' }))).toBe(false);
});

it.each([
  ['', null],
  ['read_file', null],
  ['a'.repeat(64), null],
  ['a'.repeat(65), 'Use at most 64 characters (now 65).'],
  ['read file', 'Use only letters, digits, _ . and -.'],
  ['lesen_für', 'Use only letters, digits, _ . and -.'],
])('the alias “%s” is checked while typing', (alias, problem) => {
  expect(checkAlias(alias)).toBe(problem);
});
