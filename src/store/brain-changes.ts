import type { Logger } from '../base/logger.ts';
import { ChangeListeners } from './change-listeners.ts';
import type { Database, Write } from './database.ts';

const prefix = 'brain:';

/** Beside the counter of all brains, each agent's row holds the count at which its entries last changed. */
export async function setBrainCounter(write: Write, agentId: string, value: number): Promise<void> {
  await write.db
    .insertInto('revisions')
    .values({ key: `${prefix}${agentId}`, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Tells which agents' entries changed, by comparing the counters of all brains with the last ones seen. */
export class BrainChanges {
  readonly #database: Database;
  readonly #listeners: ChangeListeners<readonly string[]>;
  #seen: number | undefined;

  constructor(parts: { database: Database; logger: Logger }) {
    this.#database = parts.database;
    this.#listeners = new ChangeListeners({
      ...parts,
      what: 'brain entries',
      begin: () => this.#begin(),
      check: () => this.#check(),
    });
  }

  watch(onChange: (agentIds: readonly string[]) => void): () => void {
    return this.#listeners.watch(onChange);
  }

  #begin(): void {
    this.#seen = this.#database.revision('brain');
    if (this.#seen === undefined) this.#check();
  }

  #check(): void {
    if (this.#seen !== undefined && this.#database.revision('brain') === this.#seen) return;
    this.#listeners.read(() => this.#report());
  }

  async #report(): Promise<void> {
    const before = this.#seen;
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('revisions')
        .selectAll()
        .where('key', 'like', 'brain%')
        .where('value', '>', before ?? -1)
        .execute(),
    );
    this.#seen = rows.reduce((most, row) => Math.max(most, row.value), before ?? 0);
    if (before === undefined) return;
    const changed = rows.filter((row) => row.key.startsWith(prefix)).map((row) => row.key.slice(prefix.length));
    if (changed.length > 0) this.#listeners.emit(changed);
  }
}
