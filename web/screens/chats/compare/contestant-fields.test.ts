import { expect, it } from 'vitest';
import { compareSearch } from './compare-search.ts';
import { reasonAgainst } from './contestant-fields.tsx';

const agents = [{ id: 'guide', name: 'Guide' }];

it.each([
  ['', [], 'Choose an agent on both sides first.'],
  ['gone', [], 'Choose an agent on both sides first.'],
  ['guide', ['city', 'day'], 'Fill in city, day for Guide first.'],
  ['guide', [], null],
])('the agent "%s" without %j can be asked unless there is a reason', (agentId, missing, reason) => {
  const given = { missing, isKnown: true, agent: { error: null } };
  expect(reasonAgainst({ agentId }, given, agents)).toBe(reason);
});

it('an agent is not asked before its arguments are known', () => {
  const given = { missing: [], isKnown: false };
  const reasonFor = (error: unknown) => reasonAgainst({ agentId: 'guide' }, { ...given, agent: { error } }, agents);
  expect(reasonFor(null)).toBe("Loading the agent's arguments…");
  expect(reasonFor(new Error('No'))).toBe("The agent's arguments could not be loaded. Try again above.");
});

it('an address with other values is read as far as it makes sense', () => {
  expect(compareSearch({ left: 'a', right: 7, with: '', x: 'y' })).toEqual({ left: 'a' });
});
