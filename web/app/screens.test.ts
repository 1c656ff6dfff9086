import { expect, test } from 'vitest';
import { screenAt, screens } from './screens.ts';

test('addresses and shortcuts are unique, and the phone bar has four screens', () => {
  const letters = screens.flatMap(({ shortcut }) => shortcut ?? []);
  expect(new Set(letters).size).toBe(letters.length);
  // They move in lists.
  expect(letters.filter((letter) => 'jk'.includes(letter))).toEqual([]);
  expect(new Set(screens.map(({ to }) => to)).size).toBe(screens.length);
  expect(screens.filter(({ isInBar }) => isInBar)).toHaveLength(4);
});

test.each([
  ['/', '/'],
  ['/a/code-reviewer', '/'],
  ['/deleted-agents', '/'],
  ['/access', '/access'],
  ['/team/members', '/team'],
  ['/mail/thread_1', '/mail'],
  ['/nothing', undefined],
])('at %s, the navigation marks %s', (pathname, to) => {
  expect(screenAt(pathname)?.to).toBe(to);
});

test('settings come last', () => {
  const sections = screens.map(({ section }) => section);
  expect(sections.lastIndexOf('main')).toBeLessThan(sections.indexOf('settings'));
});
