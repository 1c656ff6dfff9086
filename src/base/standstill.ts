const maxKeys = 1_000;

/**
 * Notices what has stopped changing, such as a lease that nobody renews any more. Goes by this process's own running time, because
 * clocks jump and those of two machines differ.
 */
export class Standstill {
  readonly #elapsed: () => number;
  readonly #seen = new Map<string, { value: unknown; at: number; stillMs: number }>();

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /**
   * Notes the value and returns whether it has been the same for the whole limit, over at least three looks: when everybody was
   * suspended between two of them, the other side gets time to speak up.
   */
  isStill(key: string, value: unknown, limitMs: number): boolean {
    const at = this.#elapsed();
    const before = this.#seen.get(key);
    const stillMs =
      before && before.value === value ? before.stillMs + Math.max(0, Math.min(at - before.at, limitMs / 2)) : 0;
    // Deleted first, so that the one not looked at for longest is at the front.
    this.#seen.delete(key);
    this.#seen.set(key, { value, at, stillMs });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maxKeys && oldest !== undefined) this.#seen.delete(oldest);
    return stillMs >= limitMs;
  }
}
