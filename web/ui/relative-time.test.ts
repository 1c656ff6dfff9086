import { describe, expect, it } from 'vitest';
import { relativeTime } from './relative-time.tsx';

const now = Date.parse('2026-03-10T12:00:00Z');

describe('relativeTime', () => {
  it.each([
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T12:00:10Z', 'just now'],
    ['2026-03-10T11:55:00Z', '5 min ago'],
    ['2026-03-10T09:00:00Z', '3 h ago'],
    ['2026-03-09T10:00:00Z', '1 d ago'],
    ['2026-03-01T12:00:00Z', '1 wk ago'],
    ['2024-03-10T12:00:00Z', '2 y ago'],
  ])('describes %s as "%s"', (at, expected) => {
    expect(relativeTime(at, now)).toBe(expected);
  });
});
