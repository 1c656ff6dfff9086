import { expect, it } from 'vitest';
import type { RunStep, StoredRun } from '../../../src/engine/run-store.ts';
import { calledBySteps } from './called-by-step.ts';

it('a called run belongs to the step of its tick, even if the provider used the id of the call again', () => {
  const step = (number: number, tick: number): RunStep => ({
    kind: 'tool',
    step: number,
    tick,
    startedAt: 0,
    endedAt: 1,
    id: 'call_1',
    tool: 'agent__clerk',
    state: 'finished',
  });
  // Only its id and its call matter here.
  const run = (id: string, tick: number) => ({ id, calledBy: { runId: 'r', callId: 'call_1', tick } }) as StoredRun;
  const called = [run('first', 1), run('second', 2), run('running', 3)];
  const { bySteps, open } = calledBySteps({ steps: [step(2, 1), step(4, 2)], called });
  expect([...bySteps].map(([number, runs]) => [number, runs.map(({ id }) => id)])).toEqual([
    [2, ['first']],
    [4, ['second']],
  ]);
  expect(open.map(({ id }) => id)).toEqual(['running']);
});
