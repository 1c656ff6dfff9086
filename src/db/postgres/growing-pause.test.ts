import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GrowingPause } from './growing-pause.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns how long each of these turns waited, when the next one is asked for `gapMs` after it. */
async function waits(pause: GrowingPause, gapsMs: readonly number[]): Promise<number[]> {
  const waited: number[] = [];
  for (const gapMs of gapsMs) {
    const askedAt = performance.now();
    const due = pause.due();
    await vi.runAllTimersAsync();
    await due;
    waited.push(performance.now() - askedAt);
    vi.advanceTimersByTime(gapMs);
  }
  return waited;
}

const newPause = () => new GrowingPause({ firstMs: 5, maxMs: 40, restMs: 100 });

it('work that comes after a rest is due at once', async () => {
  expect(await waits(newPause(), [100, 250, 100])).toEqual([0, 0, 0]);
});

it('work that keeps coming is due ever later, up to a limit', async () => {
  expect(await waits(newPause(), [0, 0, 0, 0, 0, 0])).toEqual([0, 5, 10, 20, 40, 40]);
});

it('the time since the last turn counts', async () => {
  expect(await waits(newPause(), [3, 12, 0, 30, 50, 0])).toEqual([0, 2, 0, 20, 10, 0]);
});

it('a rest begins anew', async () => {
  const pause = newPause();
  await waits(pause, [0, 0, 0, 0, 100]);
  expect(await waits(pause, [0, 0])).toEqual([0, 5]);
});
