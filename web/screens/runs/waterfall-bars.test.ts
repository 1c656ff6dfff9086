import { expect, it } from 'vitest';
import { barsOf } from './waterfall-bars.ts';

it('bars share one time line, and show how long a model call waited', () => {
  const usage = null;
  const model = { kind: 'model' as const, tick: 1, model: 'm', usage, cost: null, error: null, messages: 1 };
  const tool = { kind: 'tool' as const, tick: 1, id: 'c', tool: 't', state: 'finished' as const };
  const bars = barsOf([
    { ...model, step: 1, startedAt: 1_000, firstAt: 1_100, endedAt: 1_200 },
    { ...tool, step: 2, startedAt: 1_200, endedAt: 1_300 },
    { ...model, step: 3, startedAt: 1_300, firstAt: null, endedAt: 2_000 },
  ]);
  expect(bars).toEqual([
    { left: 0, width: 20, waiting: 10 },
    { left: 20, width: 10, waiting: 0 },
    { left: 30, width: 70, waiting: 0 },
  ]);
  expect(barsOf([])).toEqual([]);
});
