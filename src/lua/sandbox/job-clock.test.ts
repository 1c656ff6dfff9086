import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveJob } from '../../../test/support/lua/lua-jobs.ts';
import { startClock } from './job-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the time of a job', () => {
  const job = resolveJob('agents/a', { timeoutMs: 1000 });
  const open = new AbortController().signal;

  it.each([
    [0, 1000, ''],
    [300, 700, ' It had waited 0.3 s for a free thread.'],
    [900, 500, ' It had waited 0.9 s for a free thread.'],
  ])('after %i ms of waiting it runs %i ms more', (waited, left, sentence) => {
    const clock = startClock(job, open);
    vi.advanceTimersByTime(waited);
    clock.begin();
    vi.advanceTimersByTime(left - 1);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.signal.reason).toMatchObject({
      code: 'TIMEOUT',
      message: `agents/a.lua ran past its limit of 1 s and was stopped.${sentence} To allow more time, raise "timeout".`,
    });
  });

  it('is over for one that never had a thread', () => {
    const clock = startClock(job, open);
    vi.advanceTimersByTime(1000);
    expect(clock.signal.reason).toMatchObject({
      code: 'TIMEOUT',
      message: 'agents/a.lua could not start within its limit of 1 s, because other scripts used all Lua threads.',
    });
  });

  it('does not pass while its items are taken', async () => {
    const clock = startClock(job, open);
    clock.begin();
    vi.advanceTimersByTime(900);
    await clock.suspended(async () => void vi.advanceTimersByTime(10_000));
    vi.advanceTimersByTime(99);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.signal.reason).toMatchObject({ code: 'TIMEOUT' });
    clock.stop();
  });

  it('stops with the job, and a limit of weeks is no limit of none', () => {
    const done = startClock(job, open);
    done.begin();
    done.stop();
    const long = startClock({ ...job, timeoutMs: 10 ** 12 }, open);
    long.begin();
    vi.advanceTimersByTime(10_000);
    expect([done.signal.aborted, long.signal.aborted]).toEqual([false, false]);
    long.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
