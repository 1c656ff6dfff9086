import { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from './database.ts';

interface ListenerParts {
  database: Database;
  logger: Logger;
  /** For the log: "a listener of … failed". */
  what: string;
  /** Before the first listener's watch: learns how things are now. */
  begin(): void;
  /** Something was written; perhaps nothing that matters here. */
  check(): void;
}

/** Listeners that share one watch of the database: it begins with the first of them and ends with the last. */
export class ChangeListeners<T> {
  readonly #parts: ListenerParts;
  readonly #channel: EventChannel<T>;
  #stop: (() => void) | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#channel = new EventChannel((error) =>
      parts.logger.error({ err: error }, `a listener of ${parts.what} failed`),
    );
  }

  watch(onChange: (change: T) => void): () => void {
    const stop = this.#channel.on(onChange);
    if (!this.#stop) {
      this.#parts.begin();
      this.#stop = this.#parts.database.watch(() => this.#parts.check());
    }
    return () => {
      stop();
      if (this.#channel.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  emit(change: T): void {
    this.#channel.emit(change);
  }

  /** One after the other; a failure is told to the log, and the next change reads again. */
  read(run: () => Promise<void>): void {
    const { logger, what } = this.#parts;
    this.#reading = this.#reading
      .then(run)
      .catch((error: unknown) => logger.warn({ err: error }, `changes of ${what} could not be read`));
  }
}
