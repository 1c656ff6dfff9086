import { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import { readBounds } from './decision-groups.store.ts';

/** Listeners hear of new rows so often at most. */
const quietMs = 250;
const pollMs = 1_000;

/** Own rows are told of soon; those of other processes are looked for each second, while anybody listens. */
export class DecisionWatch {
  readonly #database: Database;
  readonly #changes: EventChannel<void>;
  #seenSeq = -1;
  #telling: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;

  constructor({ database, logger }: { database: Database; logger: Logger }) {
    this.#database = database;
    this.#changes = new EventChannel((error) => logger.error({ err: error }, 'a listener of the decision log failed'));
  }

  on(onNew: () => void): () => void {
    const stop = this.#changes.on(onNew);
    if (!this.#polling) {
      void this.#poll();
      this.#polling = setInterval(() => void this.#poll(), pollMs).unref();
    }
    return () => {
      stop();
      if (this.#changes.size === 0) this.close();
    };
  }

  tell(): void {
    if (this.#changes.size === 0 || this.#telling) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      this.#changes.emit();
    }, quietMs).unref();
  }

  close(): void {
    clearInterval(this.#polling);
    clearTimeout(this.#telling);
    this.#polling = undefined;
    this.#telling = undefined;
    this.#seenSeq = -1;
  }

  async #poll(): Promise<void> {
    try {
      const { newest: seq } = await this.#database.read(readBounds);
      const isNew = this.#seenSeq !== -1 && seq !== this.#seenSeq;
      this.#seenSeq = seq;
      if (isNew) this.tell();
    } catch {
      // Closed, or out of reach for now: the next look tells.
    }
  }
}
