import type { Logger } from '../base/logger.ts';
import { ChangeListeners } from './change-listeners.ts';
import type { Database, RevisionKey } from './database.ts';

interface CounterParts<Key> {
  database: Database;
  logger: Logger;
  keys: readonly Key[];
  /** For the log. */
  what: string;
}

/** Tells which of some counters grew, by comparing them with the last ones seen. */
export class CounterChanges<Key extends RevisionKey> {
  readonly #database: Database;
  readonly #keys: readonly Key[];
  readonly #listeners: ChangeListeners<readonly Key[]>;
  readonly #seen = new Map<Key, number>();

  constructor({ keys, ...parts }: CounterParts<Key>) {
    this.#database = parts.database;
    this.#keys = keys;
    this.#listeners = new ChangeListeners({ ...parts, begin: () => this.#begin(), check: () => this.#check() });
  }

  watch(onChange: (changed: readonly Key[]) => void): () => void {
    return this.#listeners.watch(onChange);
  }

  #begin(): void {
    this.#seen.clear();
    const counters = this.#counters();
    // Where they cannot be told at once, everything counts as changed when they are read.
    if (counters) this.#learn(counters);
    else this.#check();
  }

  #check(): void {
    const counters = this.#counters();
    if (counters) this.#report(counters);
    else this.#listeners.read(async () => this.#report(await this.#readCounters()));
  }

  #counters(): Map<Key, number> | undefined {
    const counters = new Map<Key, number>();
    for (const key of this.#keys) {
      const value = this.#database.revision(key);
      if (value === undefined) return undefined;
      counters.set(key, value);
    }
    return counters;
  }

  async #readCounters(): Promise<Map<Key, number>> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('revisions').selectAll().where('key', 'in', this.#keys).execute(),
    );
    return new Map(this.#keys.map((key) => [key, rows.find((row) => row.key === key)?.value ?? 0]));
  }

  #report(counters: ReadonlyMap<Key, number>): void {
    const changed = this.#learn(counters);
    if (changed.length > 0) this.#listeners.emit(changed);
  }

  /** A counter only grows, so one that was read earlier and comes later says nothing. */
  #learn(counters: ReadonlyMap<Key, number>): Key[] {
    const changed = this.#keys.filter((key) => (counters.get(key) ?? 0) > (this.#seen.get(key) ?? -1));
    for (const key of changed) this.#seen.set(key, counters.get(key) ?? 0);
    return changed;
  }
}
