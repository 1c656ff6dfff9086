import { expect, it } from 'vitest';
import { newId, slugify, timeOfId } from './ids.ts';

it('ids sort by time and never repeat', () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => newId('x', 1_700_000_000_000 + index));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(newId('brain')).toMatch(/^brain_[0-9a-z]{21}$/);
});

it('ids of one millisecond sort in the order of creation', () => {
  const ids = Array.from({ length: 5_000 }, () => newId('x', 1_700_000_000_000));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

it('an id contains its creation time; other texts do not', () => {
  expect(timeOfId('call', newId('call', 1_794_000_000_123))).toBe(1_794_000_000_123);
  for (const text of ['', 'call_1', newId('mail'), `call_${'!'.repeat(21)}`, `${newId('call')}0`])
    expect(timeOfId('call', text)).toBeUndefined();
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
