/**
 * A queue of events for one reader, which may be slower than the writer. No event is lost, and each is released when it is read.
 * When the reader stops early (`break`, `return()`), `onLeave` is called once and the queue is emptied.
 */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  #waiting: T[] = [];
  /** The index of the first unread event in `#waiting`: removing events from the front of a long list would be slow. */
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

  /** Ends the queue. Waiting events can still be read. */
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
    const event = this.#waiting[this.#next] as T; // The caller checked that it exists.
    this.#next += 1;
    if (this.#next === this.#waiting.length || this.#next >= 1024) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    return event;
  }
}
