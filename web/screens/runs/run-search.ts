import { dayMs } from '../../../src/base/clock.ts';
import { type RunState, stateNames } from './run-words.ts';

const spans = { hour: 3_600_000, day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const;
export type RunSpan = keyof typeof spans;
const calledFilters = ['show', 'only'] as const;
export type CalledFilter = (typeof calledFilters)[number];

/** The search parameters in the address of the runs. Defaults are left out. */
export interface RunSearch {
  agent?: string;
  state?: RunState;
  last?: RunSpan;
  text?: string;
  /** Runs that other runs started are hidden by default. */
  called?: CalledFilter;
  /** Opens the dialog that starts a run. */
  start?: true;
}

/** Reads the URL and drops unknown parameters. */
export function runSearch({ agent, state, last, text, called, start }: Record<string, unknown>): RunSearch {
  const words = typeof text === 'number' ? String(text) : text;
  return {
    ...(typeof agent === 'string' && agent !== '' && { agent }),
    ...(typeof state === 'string' && Object.hasOwn(stateNames, state) && { state: state as RunState }),
    ...(typeof last === 'string' && Object.hasOwn(spans, last) && { last: last as RunSpan }),
    ...(typeof words === 'string' && words !== '' && { text: words }),
    ...(calledFilters.some((each) => each === called) && { called: called as CalledFilter }),
    ...(start === true && { start }),
  };
}

/** Returns the filter for a request. A span starts at a whole minute, so that the request stays the same for a while. */
export function toRunFilter(
  { last, ...rest }: Omit<RunSearch, 'start'>,
  now: number,
): Omit<RunSearch, 'last' | 'start'> & { since?: string } {
  if (last === undefined) return rest;
  return { ...rest, since: new Date(Math.floor((now - spans[last]) / 60_000) * 60_000).toISOString() };
}
