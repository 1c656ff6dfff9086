import { expect, test } from 'vitest';
import { screens } from './screens.ts';

test('every screen has its own place and letter, and the phone has room for its bar', () => {
  const letters = screens.flatMap(({ shortcut }) => shortcut ?? []);
  expect(new Set(letters).size).toBe(letters.length);
  expect(new Set(screens.map(({ to }) => to)).size).toBe(screens.length);
  expect(screens.filter(({ isInBar }) => isInBar)).toHaveLength(4);
});

test('settings stand last, below their own heading', () => {
  const sections = screens.map(({ section }) => section);
  expect(sections.lastIndexOf('main')).toBeLessThan(sections.indexOf('settings'));
});
