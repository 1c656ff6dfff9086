import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Tool } from '../tools/tool.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { RegistryShare } from './registry-share.ts';

function tool(server: string, name: string): Tool {
  const made = defineTool({ name, description: '', origin: `server ${server}`, input: z.object({}), run: () => ({}) });
  return { ...made, server: { name: server, remoteName: name } };
}

/** What is in the registry after each server brought its tools, in this order. */
function ownersAfter(shares: readonly (readonly [server: string, names: readonly string[]])[]): Map<string, string> {
  const registry = new ToolRegistry();
  const share = new RegistryShare(registry, () => {});
  for (const [server, names] of shares) {
    const tools = names.map((name) => tool(server, name));
    share.set(server, tools);
  }
  return new Map(registry.list().map(({ name, origin }) => [name, origin]));
}

it('a name belongs to the server whose own prefix it has, whichever was there first', () => {
  const every = ['every', ['mcp__every__echo', 'mcp__every__add']] as const;
  const twin = ['twin', ['mcp__every__echo', 'twin_only']] as const;
  for (const order of [
    [every, twin],
    [twin, every],
  ]) {
    expect(Object.fromEntries(ownersAfter(order))).toEqual({
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
      expect(new Map([...ownersAfter(shuffled)].sort())).toEqual(new Map([...ownersAfter(all)].sort()));
    }),
  );
});

it('a name that its owner gives up goes to the next who wants it', () => {
  const registry = new ToolRegistry();
  const wanted = new Map<string, Tool[]>([
    ['a', [tool('a', 'echo')]],
    ['b', [tool('b', 'echo')]],
  ]);
  const share: RegistryShare = new RegistryShare(registry, () => {
    for (const [server, tools] of wanted) share.set(server, tools);
  });
  for (const [server, tools] of wanted) share.set(server, tools);
  expect(registry.find('echo')?.origin).toBe('server a');
  expect([...share.taken('b')]).toEqual([['echo', 'server a']]);
  wanted.set('a', []);
  share.set('a', []);
  expect(registry.find('echo')?.origin).toBe('server b');
});
