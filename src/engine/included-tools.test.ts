import { expect, it } from 'vitest';
import { asksFor, confirmationFor, includedTools, type ToolPermission } from './included-tools.ts';

const free = { name: 'search', requiresApproval: false };
const asked = { name: 'pay', requiresApproval: true };
const memory = { name: 'remember', requiresApproval: false, isMemory: true };

it.each<[ToolPermission, string[]]>([
  ['always', []],
  ['never', ['search', 'pay']],
  ['tool', ['search']],
])('with toolPermission "%s" a headless session has %j', (permission, names) => {
  const rule = { permission, includesMemory: false };
  expect(includedTools(rule, [free, asked]).map(({ name }) => name)).toEqual(names);
  expect(includedTools(rule, [])).toEqual([]);
});

it.each<[ToolPermission, boolean, boolean]>([
  ['always', true, true],
  ['never', false, false],
  ['tool', false, true],
])('with toolPermission "%s", a tool without the flag needs approval: %s, with it: %s', (...row) => {
  const [permission, ...answers] = row;
  const rule = { permission, includesMemory: false };
  expect([asksFor(rule, free), asksFor(rule, asked)]).toEqual(answers);
});

it.each([
  [false, false],
  [true, true],
])('writing to the memory needs approval only if the config says so: %s', (includesMemory, needed) => {
  const rule = { permission: 'tool' as const, includesMemory };
  expect(asksFor(rule, memory)).toBe(needed);
  expect(includedTools(rule, [memory])).toHaveLength(needed ? 0 : 1);
  expect(asksFor({ ...rule, permission: 'never' }, memory)).toBe(false);
});

it('a tool with harmless inputs stays available, and asks about the others', () => {
  const rule = { permission: 'tool' as const, includesMemory: false };
  const tool = { ...asked, isHarmlessInput: (input: unknown) => input === 'here' };
  expect(includedTools(rule, [tool])).toEqual([tool]);
  const confirmation = confirmationFor(rule, tool);
  if (typeof confirmation !== 'function') throw new Error('It depends on the input.');
  expect([confirmation('here'), confirmation('elsewhere')]).toEqual([false, true]);
  expect(confirmationFor({ ...rule, permission: 'always' }, tool)).toBe(true);
});
