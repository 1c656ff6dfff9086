import { expect, it } from 'vitest';
import { formatClock, formatTime } from './format-time.ts';

const now = new Date(2026, 10, 15, 18, 0);
const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();

it.each([
  [at(2026, 10, 15, 9, 5), 'today at 09:05'],
  [at(2026, 10, 14, 23, 59), 'yesterday at 23:59'],
  [at(2026, 10, 3, 10, 0), 'on Nov 3 at 10:00'],
  [at(2025, 10, 3, 10, 0), 'on Nov 3, 2025'],
  [null, 'at an unknown time'],
])('%s is formatted as "%s"', (iso, text) => {
  expect(formatTime(iso, now)).toBe(text);
});

it('hours and minutes have two digits', () => {
  expect(formatClock(at(2026, 0, 1, 7, 3))).toBe('07:03');
});
