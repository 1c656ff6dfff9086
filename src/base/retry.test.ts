import { expect, it } from 'vitest';
import { retry } from './retry.ts';

it('retries up to the limit, then throws the last error', async () => {
  const waits: number[] = [];
  const clock = { now: () => 0, sleep: async (milliseconds: number) => void waits.push(milliseconds) };
  let runs = 0;
  const failing = retry({ retries: 2, delayMs: (attempt) => attempt + 5, shouldRetry: () => runs < 10, clock }, () => {
    runs += 1;
    throw new Error(`failure ${runs}`);
  });
  await expect(failing).rejects.toThrow('failure 3');
  expect({ runs, waits }).toEqual({ runs: 3, waits: [5, 6] });
});
