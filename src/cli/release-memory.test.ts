import { describe, expect, it } from 'vitest';
import { collectGarbage, memoryRelease } from './release-memory.ts';

const megabyte = 1024 * 1024;

describe('memory is released', () => {
  const quiet = { isBusy: false, utilization: 0.001, before: 200, after: 80 };
  const cases: [string, Partial<typeof quiet>[], number][] = [
    ['when nothing happens', [{}], 1],
    ['not while a request is under way', [{ isBusy: true }], 0],
    ['not while the event loop works', [{ utilization: 0.02 }], 0],
    ['in the first quiet moment after work', [{ utilization: 0.9 }, { isBusy: true }, {}], 1],
    ['once, while nothing more is needed', [{}, { before: 80 }, { before: 87 }], 1],
    ['again after it has grown', [{}, { before: 87 }, { before: 89 }], 2],
  ];
  it.each(cases)('%s', (_, looks, expected) => {
    let now = quiet;
    let resident = 0;
    let collections = 0;
    const look = memoryRelease({
      isBusy: () => now.isBusy,
      utilization: () => now.utilization,
      residentBytes: () => resident * megabyte,
      collect: () => {
        collections += 1;
        resident = now.after;
      },
    });
    for (const each of looks) {
      now = { ...quiet, ...each };
      resident = now.before;
      look();
    }
    expect(collections).toBe(expected);
  });
});

it('a collection frees what nobody holds, and leaves no function behind', () => {
  let held: number[][] | undefined = Array.from({ length: 200 }, () => Array.from({ length: 50_000 }, Math.random));
  const full = process.memoryUsage().heapUsed;
  expect(held.length).toBe(200);
  held = undefined;
  collectGarbage();
  expect(full - process.memoryUsage().heapUsed).toBeGreaterThan(40 * megabyte);
  expect(typeof globalThis.gc).toBe('undefined');
});
