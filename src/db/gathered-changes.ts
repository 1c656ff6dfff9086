import type { Transaction } from 'kysely';
import { bumpRevision, type CommittedChange, type Topic } from './change-bus.ts';
import type { Write } from './database.ts';
import type { Tables } from './tables.ts';

/** Gathers the changes of a transaction into one for each topic. */
export class GatheredChanges {
  readonly #changes = new Map<Topic, { ids: Set<string>; isAny: boolean; number: number | undefined }>();

  /** Returns the `Write` of a transaction, which gathers its changes here. */
  writeTo(db: Transaction<Tables>): Write {
    return {
      db,
      changed: (topic, ...ids) => this.add({ topic, ids }),
      bump: async (topic) => {
        const number = await bumpRevision(db, topic);
        this.#of(topic).number = number;
        return number;
      },
    };
  }

  add({ topic, ids, number }: CommittedChange): void {
    const change = this.#of(topic);
    for (const id of ids) change.ids.add(id);
    if (ids.length === 0) change.isAny = true;
    if (number !== undefined) change.number = Math.max(number, change.number ?? 0);
  }

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  /** Returns the gathered changes and clears them. */
  take(): CommittedChange[] {
    const taken = [...this.#changes].map(([topic, { ids, isAny, number }]) => ({
      topic,
      ids: isAny ? [] : [...ids],
      number,
    }));
    this.#changes.clear();
    return taken;
  }

  #of(topic: Topic) {
    const known = this.#changes.get(topic) ?? { ids: new Set<string>(), isAny: false, number: undefined };
    this.#changes.set(topic, known);
    return known;
  }
}
