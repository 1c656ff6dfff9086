import { dayMs } from '../../../src/base/clock.ts';
import type { BarData } from '../../parts/charts/bar-chart.tsx';
import { type DecisionSearch, startOf } from './decision-search.ts';

export interface ChartRange {
  since: number;
  until: number;
  stepMinutes: number;
}

const minuteMs = 60_000;
/** Minutes per bar. Each divides a day or is a number of days, so that bars start at round times. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 7_200, 14_400, 43_200];

/** Returns the smallest step that needs at most `maxBars` bars. */
export function chooseStep(since: number, until: number, maxBars: number): number {
  const minutes = (until - since) / minuteMs;
  return steps.find((step) => minutes / step <= maxBars) ?? 43_200;
}

/**
 * Returns the range of the chart: exactly the chosen time, or a range that includes the newest entry. Bars begin at whole steps, so the
 * first and the last may be only partly in the range. Without a chosen end, it ends with the current bar, so that the request
 * stays the same until the next one starts.
 */
export function chartRange(
  search: DecisionSearch,
  { newestAt, now, maxBars = 120 }: { newestAt: number | null; now: number; maxBars?: number },
): ChartRange {
  const end = search.until ? Math.min(Date.parse(search.until), now) : now;
  const start = search.last
    ? startOf(search.last, now)
    : search.since
      ? Date.parse(search.since)
      : defaultStart(newestAt, end);
  const since = Math.min(start, end);
  const stepMinutes = chooseStep(since, end, maxBars);
  const stepMs = stepMinutes * minuteMs;
  const isEnded = search.until !== undefined && Date.parse(search.until) <= now;
  return {
    since,
    // The chosen end is the first moment that is left out.
    until: isEnded ? Math.max(since, end - 1) : Math.floor(end / stepMs) * stepMs + stepMs - 1,
    stepMinutes,
  };
}

/** Moves on in steps that do not depend on the width of a bar, so that charts of every width count the same calls. */
function defaultStart(newestAt: number | null, end: number): number {
  const age = newestAt === null ? 0 : end - newestAt;
  const span = [1, 7, 30, 90, 365].map((days) => days * dayMs).find((days) => age < days) ?? age + dayMs;
  const stepMs = span / 96;
  return Math.floor((end - span) / stepMs) * stepMs;
}

export interface Bars extends BarData {
  totalCalls: number;
  totalErrors: number;
}

/** Makes one bar for each step, including empty ones. */
export function toBars(range: ChartRange, counts: readonly { at: string; calls: number; errors: number }[]): Bars {
  const stepMs = range.stepMinutes * minuteMs;
  const first = Math.floor(range.since / stepMs) * stepMs;
  const length = Math.floor((range.until - first) / stepMs) + 1;
  const bars: Bars = {
    times: Array.from({ length }, (_, index) => (first + index * stepMs) / 1_000),
    calls: Array.from({ length }, () => 0),
    errors: Array.from({ length }, () => 0),
    totalCalls: 0,
    totalErrors: 0,
  };
  for (const { at, calls, errors } of counts) {
    const index = Math.floor((Date.parse(at) - first) / stepMs);
    if (index < 0 || index >= length) continue;
    bars.calls[index] = (bars.calls[index] ?? 0) + calls;
    bars.errors[index] = (bars.errors[index] ?? 0) + errors;
    bars.totalCalls += calls;
    bars.totalErrors += errors;
  }
  return bars;
}
