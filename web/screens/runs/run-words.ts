import type { StoredRun } from '../../../src/engine/run-store.ts';
import { formatCount } from '../../ui/format-count.ts';

export type RunState = StoredRun['status'];

export const stateNames: Record<RunState, string> = {
  running: 'Running',
  completed: 'Completed',
  interrupted: 'Interrupted',
  failed: 'Failed',
  budget: 'Over budget',
  aborted: 'Stopped',
  'max-ticks': 'Tick limit',
};

/** Explains each state. */
export const stateSentences: Record<RunState, string> = {
  running: 'The run is in progress.',
  completed: 'The agent finished.',
  interrupted: 'The process ended before the run was finished.',
  failed: 'The run ended with an error.',
  budget: 'The run reached its token or cost limit.',
  aborted: 'A user stopped the run.',
  'max-ticks': 'Tick limit reached. A tick is one model request and its tool calls.',
};

export function tickWords(ticks: number): string {
  return formatCount(ticks, 'tick');
}

export function calledWords(runs: number): string {
  return formatCount(runs, 'called run');
}

/** Returns how long a run took: until now while it runs, until its last heartbeat if it was interrupted. */
export function runMs(
  run: Pick<StoredRun, 'startedAt' | 'heartbeatAt' | 'finishedAt' | 'status'>,
  now: number,
): number {
  const end = run.finishedAt ?? (run.status === 'running' ? now : run.heartbeatAt);
  return Math.max(0, end - run.startedAt);
}
