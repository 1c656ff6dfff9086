import { expect, it } from 'vitest';
import { dayName, dayOf, exactTime } from './day-names.ts';

const now = new Date(2026, 10, 15, 12);

it.each([
  ['2026-11-15', 'Today'],
  ['2026-11-14', 'Yesterday'],
  ['2026-11-01', 'Sunday, November 1'],
  ['2025-11-01', 'Saturday, November 1, 2025'],
])('%s is named "%s"', (day, name) => {
  expect(dayName(day, now)).toBe(name);
});

it('days and times are those of the reader', () => {
  const late = new Date(2026, 10, 14, 23, 59, 1);
  expect(dayOf(late.toISOString())).toBe('2026-11-14');
  expect(exactTime(late.toISOString())).toBe('Nov 14, 2026, 23:59:01');
});
