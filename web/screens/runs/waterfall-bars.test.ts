import { expect, it } from 'vitest';
import { axisLabels, barsOf } from './waterfall-bars.ts';

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

it.each([
  [0, ['0 ms', '0.5 ms', '1 ms']],
  [1, ['0 ms', '0.5 ms', '1 ms']],
  [3, ['0 ms', '1.5 ms', '3 ms']],
  [25, ['0 ms', '13 ms', '25 ms']],
  [999, ['0 ms', '500 ms', '999 ms']],
  [1_250, ['0 s', '0.63 s', '1.25 s']],
  [42_000, ['0 s', '21 s', '42 s']],
  [95_000, ['0:00 min', '0:48 min', '1:35 min']],
  [5_400_000, ['0:00 h', '0:45 h', '1:30 h']],
  [40 * 3_600_000, ['0:00 h', '20:00 h', '40:00 h']],
])('the time line of %i ms is labelled %j', (lengthMs, labels) => {
  expect(axisLabels(lengthMs)).toEqual(labels);
});
