import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Tool } from '../tools/tool.ts';
import { findCloseNames, isToolName, rankTools, toLocalName } from './tool-names.ts';

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
])('a name that is %s gets a short, stable alias', (_what, remoteName) => {
  const alias = named('files', remoteName);
  expect(alias).toMatch(/^mcp__files__[A-Za-z0-9_.-]*_[0-9a-f]{8}$/);
  expect(isToolName(alias)).toBe(true);
  expect(named('files', remoteName)).toBe(alias);
});

it('the alias is the same in every version, because users write it into scopes', () => {
  expect(named('files', 'read a file')).toBe('mcp__files__read_a_file_1dbb6b8d');
});

it('names that differ only in replaced or cut characters get different aliases', () => {
  const remote = ['a b', 'a/b', 'a  b', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
  expect(new Set(remote.map((each) => named('files', each))).size).toBe(remote.length);
  const [server] = ['s'.repeat(40)];
  expect(named(server ?? '', 'y'.repeat(60)).length).toBeLessThanOrEqual(64);
  expect(named(server ?? '', 'y'.repeat(60)).startsWith(`mcp__${server}__`)).toBe(true);
});

it('chained hubs keep names short, readable and distinct', () => {
  const tools = ['read_file', 'read_files', 'list_directory_with_sizes', 'directory_tree'];
  const servers = ['inner-filesystem-server', 'middle-hub', 'outer-hub', 'one-more'];
  const names = tools.map((tool) => servers.reduce((name, server) => named(server, name), tool));
  expect(names.every((name) => isToolName(name) && name.length <= 64)).toBe(true);
  expect(new Set(names).size).toBe(tools.length);
  expect(named('a', named('b', named('c', 'tool')))).toBe('mcp__a__mcp__b__mcp__c__tool');
});

it('no tool can pass for a team tool', () => {
  expect(named('files', 'mcp__mail__send', '')).toMatch(/^files_mcp__mail__send_[0-9a-f]{8}$/);
  expect(isToolName('mcp__task__create')).toBe(false);
});

function close(one: string, other: string): boolean {
  const names = [
    { server: 'a', tool: one },
    { server: 'b', tool: other },
  ];
  const find = findCloseNames(names);
  const found = find({ server: 'a', tool: one });
  // Similarity is symmetric.
  expect(find({ server: 'b', tool: other }).length).toBe(found.length);
  return found.length > 0;
}

it.each([
  ['search', 'search'],
  ['read_file', 'readFile'],
  ['read-file', 'read_file'],
  ['Search', 'search'],
  ['search', 'serch'],
  ['search', 'searchh'],
  ['search', 'seanch'],
  ['get_issue', 'get_issues'],
])('%s is similar to %s', (one, other) => {
  expect(close(one, other)).toBe(true);
});

it.each([
  ['get', 'set'],
  ['list', 'last'],
  ['search', 'source'],
  ['read_file', 'write_file'],
  ['search', 'searching'],
  ['abcde', 'badce'],
])('%s is not similar to %s', (one, other) => {
  expect(close(one, other)).toBe(false);
});

it('similar names on the same server are not reported', () => {
  const find = findCloseNames([
    { server: 'a', tool: 'search' },
    { server: 'a', tool: 'search_' },
  ]);
  expect(find({ server: 'a', tool: 'search' })).toEqual([]);
});

it('ten thousand names are compared quickly', () => {
  const names = Array.from({ length: 10_000 }, (_each, index) => ({
    server: `s${index % 7}`,
    tool: `tool_number_${index}_of_many`,
  }));
  // Measures CPU time, which does not depend on the load of the machine.
  const begun = process.cpuUsage();
  const find = findCloseNames(names);
  for (const name of names) find(name);
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(10_000);
});

function tool(server: string, name: string): Tool {
  const made = defineTool({ name, description: '', origin: `server ${server}`, input: z.object({}), run: () => ({}) });
  return { ...made, server: { name: server, remoteName: name } };
}

/** Returns the first origin for each name. */
function ownersOf(shares: readonly (readonly [server: string, names: readonly string[]])[]): Map<string, string> {
  const ranked = rankTools(shares.flatMap(([server, names]) => names.map((name) => tool(server, name))));
  return new Map(ranked.toReversed().map(({ name, origin }) => [name, origin]));
}

it('a name belongs to the server whose prefix it has, regardless of the order', () => {
  const every = ['every', ['mcp__every__echo', 'mcp__every__add']] as const;
  const twin = ['twin', ['mcp__every__echo', 'twin_only']] as const;
  for (const order of [
    [every, twin],
    [twin, every],
  ]) {
    expect(Object.fromEntries(ownersOf(order))).toEqual({
      mcp__every__echo: 'server every',
      mcp__every__add: 'server every',
      twin_only: 'server twin',
    });
  }
});

it('the owner of a name does not depend on the order of servers', () => {
  const names = fc.uniqueArray(fc.constantFrom('echo', 'mcp__a__echo', 'mcp__b__echo', 'add', 'mcp__c__add'));
  const shares = fc.tuple(names, names, names).map(
    ([a, b, c]) =>
      [
        ['a', a],
        ['b', b],
        ['c', c],
      ] as const,
  );
  fc.assert(
    fc.property(shares, fc.shuffledSubarray([0, 1, 2] as const, { minLength: 3 }), (all, order) => {
      const shuffled = order.map((index) => all[index] ?? (['', []] as const));
      expect(new Map([...ownersOf(shuffled)].sort())).toEqual(new Map([...ownersOf(all)].sort()));
    }),
  );
});

it('all tools are kept, and those of owners keep their order', () => {
  const tools = [tool('b', 'x'), tool('b', 'echo'), tool('a', 'echo'), tool('a', 'y')];
  expect(rankTools(tools).map(({ name, origin }) => `${name} ${origin}`)).toEqual([
    'x server b',
    'echo server a',
    'y server a',
    'echo server b',
  ]);
});
