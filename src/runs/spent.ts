import type { RunStep } from '../engine/run-store.ts';
import { addUsage, noUsage } from '../engine/usage.ts';
import type { Spent } from './runs.ts';

/** Returns the sum. Its cost is unknown if one of them is. */
export function spentIn(all: readonly Spent[]): Spent {
  return all.reduce<Spent>(
    (sum, { usage, cost }) => ({
      usage: addUsage(sum.usage, usage),
      cost: sum.cost === null || cost === null ? null : sum.cost + cost,
    }),
    { usage: noUsage, cost: 0 },
  );
}

/** What the agents that these steps called used. */
export function calledIn(steps: readonly RunStep[]): Spent[] {
  return steps.flatMap((step) => (step.kind === 'tool' ? (step.used ?? []) : []));
}
