import type { StoredRun } from '../../../src/engine/run-store.ts';
import { formatCount } from '../../ui/format-count.ts';

export type RunState = StoredRun['status'];

export const stateNames: Record<RunState, string> = {
  running: 'running',
  completed: 'completed',
  interrupted: 'interrupted',
  failed: 'failed',
  budget: 'budget used up',
  aborted: 'aborted',
  'max-ticks': 'too many ticks',
};

/** What a state means for somebody who wonders. */
export const stateSentences: Record<RunState, string> = {
  running: 'It is under way.',
  completed: 'The agent had nothing more to do.',
  interrupted: 'Its process ended in the middle. This is how far it came.',
  failed: 'Something went wrong that the agent could not work around.',
  budget: 'It reached the limit of tokens or money that it had.',
  aborted: 'Somebody stopped it.',
  'max-ticks': 'It reached the limit of ticks: rounds of asking the model and calling tools.',
};

export function tickWords(ticks: number): string {
  return formatCount(ticks, 'tick');
}

/** From its start until its end; one under way until now, an interrupted one until its last sign of life. */
export function runMs(
  run: Pick<StoredRun, 'startedAt' | 'heartbeatAt' | 'finishedAt' | 'status'>,
  now: number,
): number {
  const end = run.finishedAt ?? (run.status === 'running' ? now : run.heartbeatAt);
  return Math.max(0, end - run.startedAt);
}
