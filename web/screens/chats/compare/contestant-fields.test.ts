import { expect, it } from 'vitest';
import { compareSearch } from './compare-search.ts';
import { reasonAgainst } from './contestant-fields.tsx';

const agents = [
  { id: 'clerk', name: 'Clerk', argumentCount: 0 },
  { id: 'guide', name: 'Guide', argumentCount: 1 },
];

it.each([
  ['', 'Choose an agent on both sides first.'],
  ['gone', 'Choose an agent on both sides first.'],
  ['guide', 'Guide needs arguments, so it cannot be compared. Ask it in a chat, or choose another agent.'],
  ['clerk', null],
])('the agent "%s" can be asked unless there is a reason', (agentId, reason) => {
  expect(reasonAgainst({ agentId, model: null }, agents)).toBe(reason);
});

it('an address with other values is read as far as it makes sense', () => {
  expect(compareSearch({ left: 'a', right: 7, with: '', x: 'y' })).toEqual({ left: 'a' });
});
