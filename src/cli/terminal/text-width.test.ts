import { expect, test } from 'vitest';
import { fitText, padText, printable, printableLine, textWidth } from './text-width.ts';

test.each([
  ['', 0],
  ['agent', 5],
  ['Prüfer', 6],
  ['e\u0301', 1],
  ['日本語', 6],
  ['🦁', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['한글', 4],
])('"%s" takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test('text is padded and cut by the columns it takes', () => {
  expect(padText('日本', 6)).toBe('日本  ');
  expect(padText('longer', 3)).toBe('longer');
  expect(fitText('日本語', 5)).toBe('日本…');
  expect(fitText('fits', 4)).toBe('fits');
});

test('escape sequences and direction marks of others do not reach the terminal', () => {
  expect(printable('a\u001b[31mred\u0007\u202e\tb\r\nc')).toBe('a\ufffd[31mred\ufffd\ufffd\tb\nc');
  expect(printableLine('a\n  b\tc')).toBe('a b c');
});
