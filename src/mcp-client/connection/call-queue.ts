/** Lets at most so many through at once; the others wait in the order they came. */
export class CallQueue {
  readonly #limit: number;
  readonly #waiting: Set<() => void> = new Set();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs `start` now or later. The returned function takes a waiting one out; false when it has started. */
  enter(start: () => void): () => boolean {
    if (this.#running < this.#limit) {
      this.#running += 1;
      start();
      return neverWaited;
    }
    this.#waiting.add(start);
    return () => this.#waiting.delete(start);
  }

  /** One of those that were let through is done. */
  leave(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#running -= 1;
  }
}

function neverWaited(): boolean {
  return false;
}
