import { expect, it } from 'vitest';
import { isOpened, type Opened, withOpened } from './opened.ts';

const ada: Opened = { kind: 'agent', id: 'ada', name: 'Ada' };
const chat: Opened = { kind: 'chat', id: 'ada', name: 'About engines' };

it('what was opened last comes first, once, with its newest name', () => {
  expect(withOpened([chat, ada], { ...ada, name: 'Ada L.' })).toEqual([{ ...ada, name: 'Ada L.' }, chat]);
});

it('the oldest are forgotten', () => {
  const many = Array.from({ length: 30 }, (_, index): Opened => ({ kind: 'task', id: String(index), name: 'Task' }));
  const next = withOpened(many, ada);
  expect([next.length, next[0], next.at(-1)?.id]).toEqual([30, ada, '28']);
});

it.each([
  ['an unknown kind', { kind: 'planet', id: 'a', name: 'b' }],
  ['a missing name', { kind: 'agent', id: 'a' }],
  ['null', null],
  ['a number', 4],
])('%s is no entry', (_, value) => {
  expect(isOpened(value)).toBe(false);
  expect(isOpened(ada)).toBe(true);
});
