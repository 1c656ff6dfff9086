import type { RunStep } from '../../../src/engine/run-store.ts';

/** A step on the time line, in percent of its length. */
export interface Bar {
  left: number;
  width: number;
  /** The part of the width in which the model had not answered yet. */
  waiting: number;
}

/** Returns when the first step began and the last one ended. */
export function spanOf(steps: readonly RunStep[]): { start: number; end: number } {
  return {
    start: steps.reduce((least, { startedAt }) => Math.min(least, startedAt), Number.POSITIVE_INFINITY),
    end: steps.reduce((most, { endedAt }) => Math.max(most, endedAt), 0),
  };
}

/** Returns the times at the start, the middle and the end of a time line, in a unit that tells them apart. */
export function axisLabels(lengthMs: number): string[] {
  const nameOf = timeNames(Math.max(1, lengthMs));
  return [0, 0.5, 1].map((share) => nameOf(share * Math.max(1, lengthMs)));
}

function timeNames(lengthMs: number): (ms: number) => string {
  const withDigits = (value: number, digits: number) =>
    value.toLocaleString('en', { maximumFractionDigits: digits, useGrouping: false });
  if (lengthMs < 1_000) return (ms) => `${withDigits(ms, lengthMs < 10 ? 1 : 0)} ms`;
  if (lengthMs < 60_000) return (ms) => `${withDigits(ms / 1_000, lengthMs < 10_000 ? 2 : 1)} s`;
  if (lengthMs < 3_600_000) return (ms) => `${pair(Math.round(ms / 1_000))} min`;
  return (ms) => `${pair(Math.round(ms / 60_000))} h`;
}

/** Returns a number of smaller units as both: 90 is `1:30`. */
function pair(units: number): string {
  return `${Math.floor(units / 60)}:${String(units % 60).padStart(2, '0')}`;
}

export function barsOf(steps: readonly RunStep[]): Bar[] {
  const { start, end } = spanOf(steps);
  const length = Math.max(1, end - start);
  const share = (ms: number) => (Math.max(0, ms) / length) * 100;
  return steps.map((step) => ({
    left: Math.min(99, share(step.startedAt - start)),
    width: share(step.endedAt - step.startedAt),
    waiting: step.kind === 'model' && step.firstAt !== null ? share(step.firstAt - step.startedAt) : 0,
  }));
}
