interface GrowingPauseLimits {
  /** The pause between the first two turns. Each one after it is twice as long. */
  firstMs: number;
  maxMs: number;
  /** After this long without a turn, the next one is due at once. */
  restMs: number;
}

/** Spaces out work that keeps coming. A single change travels at once; a stream of changes travels in few parts, each at most `maxMs` late. */
export class GrowingPause {
  readonly #limits: GrowingPauseLimits;
  #pauseMs = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(limits: GrowingPauseLimits) {
    this.#limits = limits;
  }

  /** Resolves when the next turn is due. */
  async due(): Promise<void> {
    const { firstMs, maxMs, restMs } = this.#limits;
    const sinceMs = performance.now() - this.#lastAt;
    this.#pauseMs = sinceMs >= restMs ? 0 : Math.min(Math.max(this.#pauseMs * 2, firstMs), maxMs);
    const leftMs = this.#pauseMs - sinceMs;
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
    this.#lastAt = performance.now();
  }
}
