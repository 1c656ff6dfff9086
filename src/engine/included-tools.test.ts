import { expect, it } from 'vitest';
import { asksFor, includedTools, type ToolPermission } from './included-tools.ts';

const free = { name: 'search', requiresApproval: false };
const asked = { name: 'pay', requiresApproval: true };

it.each<[ToolPermission, string[]]>([
  ['always', []],
  ['never', ['search', 'pay']],
  ['tool', ['search']],
])('with toolPermission "%s" a headless session has %j', (permission, names) => {
  expect(includedTools(permission, [free, asked]).map(({ name }) => name)).toEqual(names);
  expect(includedTools(permission, [])).toEqual([]);
});

it.each<[ToolPermission, boolean, boolean]>([
  ['always', true, true],
  ['never', false, false],
  ['tool', false, true],
])('with toolPermission "%s", a tool without the flag needs approval: %s, with it: %s', (...row) => {
  const [permission, ...answers] = row;
  expect([asksFor(permission, free), asksFor(permission, asked)]).toEqual(answers);
});
