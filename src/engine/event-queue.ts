/**
 * Events on their way to one reader, who may be slower than the writer: they wait, none is lost, and each is let go when
 * it is read. A reader that stops early (`break`, `return()`) is reported once, and nothing is kept for it any more.
 */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  #waiting: T[] = [];
  /** The first of `#waiting` that is not read yet: taking from the front of a long list would be slow. */
  #next = 0;
  #readers: ((result: IteratorResult<T, undefined>) => void)[] = [];
  #isEnded = false;
  readonly #onLeave: () => void;

  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  push(event: T): void {
    if (this.#isEnded) return;
    const reader = this.#readers.shift();
    if (reader) reader({ value: event, done: false });
    else this.#waiting.push(event);
  }

  /** What waits can still be read. */
  end(): void {
    this.#isEnded = true;
    for (const reader of this.#readers) reader({ value: undefined, done: true });
    this.#readers = [];
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#next < this.#waiting.length) return Promise.resolve({ value: this.#take(), done: false });
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(): Promise<IteratorResult<T, undefined>> {
    const isEarly = !this.#isEnded;
    this.end();
    this.#waiting = [];
    this.#next = 0;
    if (isEarly) this.#onLeave();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T {
    const event = this.#waiting[this.#next] as T; // The caller saw that it is there.
    this.#next += 1;
    if (this.#next === this.#waiting.length || this.#next >= 1024) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    return event;
  }
}
