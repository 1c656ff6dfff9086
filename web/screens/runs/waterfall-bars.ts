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
