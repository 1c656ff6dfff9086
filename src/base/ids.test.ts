import { expect, it } from 'vitest';
import { newId, slugify } from './ids.ts';

it('makes ids that sort by time and never repeat', () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => newId('x', 1_700_000_000_000 + index));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(newId('brain')).toMatch(/^brain_[0-9a-z]{21}$/);
});

it.each([
  ['Code Wizard', 'code-wizard'],
  ['  Ünïcode   Ärger! ', 'unicode-arger'],
  ['日本', ''],
  ['--x--', 'x'],
  ['a'.repeat(100), 'a'.repeat(64)],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('slugifies %j', (name, expected) => {
  expect(slugify(name)).toBe(expected);
});
