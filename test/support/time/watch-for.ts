import { vi } from 'vitest';

/** Checks at the start, in the middle and at the end of a period that passes at once by the simulated clock. */
export async function watchFor(seconds: number, look: () => Promise<unknown>): Promise<void> {
  // Whole numbers add up exactly.
  const began = Math.ceil(performance.now());
  const elapsed = vi.spyOn(performance, 'now');
  try {
    for (const part of [0, 0.5, 1]) {
      elapsed.mockReturnValue(began + part * seconds * 1_000);
      await look();
    }
  } finally {
    elapsed.mockRestore();
  }
}
