import type { RunStep, StoredRun } from '../../../src/engine/run-store.ts';

/** Returns the runs that each step started, and those whose call has not ended. */
export function calledBySteps({ steps, called }: { steps: readonly RunStep[]; called: readonly StoredRun[] }): {
  bySteps: ReadonlyMap<number, readonly StoredRun[]>;
  open: readonly StoredRun[];
} {
  const stepOf = ({ calledBy }: StoredRun) =>
    steps.find((step) => step.kind === 'tool' && step.id === calledBy?.callId && step.tick === calledBy.tick)?.step;
  const byStep = Map.groupBy(called, stepOf);
  const open = byStep.get(undefined) ?? [];
  return { bySteps: new Map([...byStep].flatMap(([step, runs]) => (step === undefined ? [] : [[step, runs]]))), open };
}
