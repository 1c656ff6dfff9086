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
  expect(reasonAgainst({ agentId }, missing, agents)).toBe(reason);
});

it('an address with other values is read as far as it makes sense', () => {
  expect(compareSearch({ left: 'a', right: 7, with: '', x: 'y' })).toEqual({ left: 'a' });
});
