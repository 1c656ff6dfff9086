const maxKeys = 1_000;

/**
 * Detects values that have stopped changing, such as a lease that is no longer renewed. Uses this process's monotonic time, because
 * clocks jump and those of two machines differ.
 */
export class Standstill {
  readonly #elapsed: () => number;
  readonly #seen = new Map<string, { value: unknown; at: number; stillMs: number }>();

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /**
   * Records the value and returns whether it has stayed the same for the whole limit, over at least three calls. This
   * leaves the other process time to change it if all processes were suspended between two calls.
   */
  isStill(key: string, value: unknown, limitMs: number): boolean {
    const at = this.#elapsed();
    const before = this.#seen.get(key);
    const stillMs =
      before && before.value === value ? before.stillMs + Math.max(0, Math.min(at - before.at, limitMs / 2)) : 0;
    // Deleted first, so that the least recently used key is at the front.
    this.#seen.delete(key);
    this.#seen.set(key, { value, at, stillMs });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maxKeys && oldest !== undefined) this.#seen.delete(oldest);
    return stillMs >= limitMs;
  }
}
