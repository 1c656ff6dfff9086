import { expect, it } from 'vitest';
import { isToolName, toLocalName } from './tool-names.ts';

function named(server: string, remoteName: string, prefix: string | null = null, alias: string | null = null): string {
  return toLocalName({ server, remoteName, prefix, alias });
}

it.each([
  [named('files', 'read'), 'mcp__files__read'],
  [named('files', 'read', ''), 'read'],
  [named('files', 'read', 'fs_'), 'fs_read'],
  [named('files', 'read', 'fs_', 'look'), 'look'],
  [named('files', 'read.all-of_it'), 'mcp__files__read.all-of_it'],
])('%s', (name, expected) => {
  expect(name).toBe(expected);
});

it.each([
  ['too long', 'x'.repeat(80)],
  ['with spaces', 'read a file'],
  ['with slashes', 'files/read'],
  ['not of ASCII', 'lesen_ö'],
  ['of hidden characters', 'read\u200b'],
  ['of nothing that can stand', '☃'],
])('a name that is %s gets a short alias that stays', (_what, remoteName) => {
  const alias = named('files', remoteName);
  expect(alias).toMatch(/^mcp__files__[A-Za-z0-9_.-]*_[0-9a-f]{8}$/);
  expect(isToolName(alias)).toBe(true);
  expect(named('files', remoteName)).toBe(alias);
});

it('the alias is the same in every version: people write it into scopes', () => {
  expect(named('files', 'read a file')).toBe('mcp__files__read_a_file_1dbb6b8d');
});

it('names that differ only in what is replaced or cut have aliases of their own', () => {
  const remote = ['a b', 'a/b', 'a  b', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
  expect(new Set(remote.map((each) => named('files', each))).size).toBe(remote.length);
  const [server] = ['s'.repeat(40)];
  expect(named(server ?? '', 'y'.repeat(60)).length).toBeLessThanOrEqual(64);
  expect(named(server ?? '', 'y'.repeat(60)).startsWith(`mcp__${server}__`)).toBe(true);
});

it('hubs behind hubs behind hubs keep names short, readable and apart', () => {
  const tools = ['read_file', 'read_files', 'list_directory_with_sizes', 'directory_tree'];
  const servers = ['inner-filesystem-server', 'middle-hub', 'outer-hub', 'one-more'];
  const names = tools.map((tool) => servers.reduce((name, server) => named(server, name), tool));
  expect(names.every((name) => isToolName(name) && name.length <= 64)).toBe(true);
  expect(new Set(names).size).toBe(tools.length);
  expect(named('a', named('b', named('c', 'tool')))).toBe('mcp__a__mcp__b__mcp__c__tool');
});

it('no tool passes for one of the team', () => {
  expect(named('files', 'mcp__mail__send', '')).toMatch(/^files_mcp__mail__send_[0-9a-f]{8}$/);
  expect(isToolName('mcp__task__create')).toBe(false);
});
