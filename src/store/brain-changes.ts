import { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
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
  readonly #logger: Logger;
  readonly #listeners: EventChannel<readonly string[]>;
  #seen: number | undefined;
  #stop: (() => void) | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: { database: Database; logger: Logger }) {
    this.#database = options.database;
    this.#logger = options.logger;
    this.#listeners = new EventChannel((error) =>
      options.logger.error({ err: error }, 'a listener of the brain failed'),
    );
  }

  watch(onChange: (agentIds: readonly string[]) => void): () => void {
    const stop = this.#listeners.on(onChange);
    if (!this.#stop) {
      this.#seen = this.#database.revision('brain');
      if (this.#seen === undefined) this.#check();
      this.#stop = this.#database.watch(() => this.#check());
    }
    return () => {
      stop();
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #check(): void {
    if (this.#seen !== undefined && this.#database.revision('brain') === this.#seen) return;
    this.#reading = this.#reading
      .then(() => this.#report())
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'changes of brain entries could not be read'));
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
