import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Tool } from '../tools/tool.ts';
import { rankTools } from './rank-tools.ts';

function tool(server: string, name: string): Tool {
  const made = defineTool({ name, description: '', origin: `server ${server}`, input: z.object({}), run: () => ({}) });
  return { ...made, server: { name: server, remoteName: name } };
}

/** Who comes first for each name. */
function ownersOf(shares: readonly (readonly [server: string, names: readonly string[]])[]): Map<string, string> {
  const ranked = rankTools(shares.flatMap(([server, names]) => names.map((name) => tool(server, name))));
  return new Map(ranked.toReversed().map(({ name, origin }) => [name, origin]));
}

it('a name belongs to the server whose own prefix it has, whichever was there first', () => {
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

it('who owns which name does not depend on the order in which servers come', () => {
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

it('every tool stays, those of owners in the order they came', () => {
  const tools = [tool('b', 'x'), tool('b', 'echo'), tool('a', 'echo'), tool('a', 'y')];
  expect(rankTools(tools).map(({ name, origin }) => `${name} ${origin}`)).toEqual([
    'x server b',
    'echo server a',
    'y server a',
    'echo server b',
  ]);
});
