import { describe, expect, it } from 'vitest';
import { chartRange, chooseStep, toBars } from './chart-range.ts';
import { toDecisionFilter } from './decision-search.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-03-03T12:34:56Z');
const iso = (at: number) => new Date(at).toISOString();

describe('the step', () => {
  it.each([
    ['an hour', hour, 1],
    ['two hours', 2 * hour, 1],
    ['a morning', 6 * hour, 5],
    ['a day', day, 15],
    ['a week', 7 * day, 120],
    ['a quarter', 90 * day, 1_440],
    ['ten years', 3_650 * day, 43_200],
    ['a thousand years', 365_000 * day, 43_200],
  ])('for %s keeps the bars visible', (_, span, step) => {
    expect(chooseStep(now - span, now, 120)).toBe(step);
  });
});

describe('the range', () => {
  it('is the last day, or long enough to include the newest entry', () => {
    const span = (age: number) => {
      const { since, until } = chartRange({}, { newestAt: now - age, now });
      return Math.floor((until - since) / day);
    };
    expect(span(0)).toBe(1);
    expect(span(2 * day)).toBe(7);
    expect(span(20 * day)).toBe(30);
    expect(span(400 * day)).toBeGreaterThanOrEqual(401);
    expect(chartRange({}, { newestAt: null, now }).stepMinutes).toBe(15);
  });

  it('is the same for a narrow chart, so that the same calls are counted', () => {
    const ranges = [20, 60, 120].map((maxBars) => chartRange({}, { newestAt: now, now, maxBars }));
    expect(new Set(ranges.map(({ stepMinutes }) => stepMinutes)).size).toBe(3);
    expect(new Set(ranges.map(({ since }) => since)).size).toBe(1);
  });

  it('begins where the list begins, and ends with the current bar', () => {
    const first = chartRange({ last: 'day' }, { newestAt: null, now });
    expect(iso(first.since)).toBe(toDecisionFilter({ last: 'day' }, now).since);
    expect(iso(first.until)).toBe('2026-03-03T12:44:59.999Z');
    expect(chartRange({ last: 'day' }, { newestAt: null, now: now + 5 * minute })).toEqual(first);
  });

  it('is exactly the chosen one, like that of the list, but does not reach into the future', () => {
    const search = { since: iso(now - 2 * hour), until: iso(now - hour) };
    const range = chartRange(search, { newestAt: now, now });
    expect(range).toEqual({ since: now - 2 * hour, until: now - hour - 1, stepMinutes: 1 });
    expect({ since: iso(range.since), until: iso(range.until) }).toEqual(toDecisionFilter(search, now));
    expect(chartRange({ until: iso(now + day) }, { newestAt: now, now }).until).toBeLessThan(now + hour);
    expect(chartRange({ since: iso(now + day) }, { newestAt: now, now }).since).toBeLessThanOrEqual(now);
  });

  it('has no bar for the minute after an end at a whole step', () => {
    const search = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-03T00:00:00.000Z' };
    const range = chartRange(search, { newestAt: now, now });
    const { times } = toBars(range, []);
    expect(times.at(-1)).toBe((Date.parse(search.until) - range.stepMinutes * minute) / 1_000);
  });
});

it('the first bar begins at a whole step, even if the range begins later', () => {
  const since = Date.parse('2026-03-03T10:20:00Z');
  const range = { since, until: since + 2 * hour - 1, stepMinutes: 60 };
  const { times, calls, totalCalls } = toBars(range, [
    { at: '2026-03-03T10:00:00.000Z', calls: 3, errors: 0 },
    { at: '2026-03-03T12:00:00.000Z', calls: 1, errors: 0 },
  ]);
  expect(times.map((at) => iso(at * 1_000).slice(11, 16))).toEqual(['10:00', '11:00', '12:00']);
  expect([calls, totalCalls]).toEqual([[3, 0, 1], 4]);
});

it('every step has a bar, even an empty one', () => {
  const range = { since: now - (now % hour), until: now - (now % hour) + 5 * minute - 1, stepMinutes: 1 };
  const bars = toBars(range, [
    { at: iso(range.since + minute), calls: 3, errors: 1 },
    { at: iso(range.since + 4 * minute), calls: 2, errors: 0 },
    { at: iso(range.since - minute), calls: 50, errors: 50 },
    { at: iso(range.until + 1), calls: 50, errors: 50 },
  ]);
  expect(bars).toEqual({
    times: [0, 1, 2, 3, 4].map((index) => (range.since + index * minute) / 1_000),
    calls: [0, 3, 0, 0, 2],
    errors: [0, 1, 0, 0, 0],
    totalCalls: 5,
    totalErrors: 1,
  });
});
