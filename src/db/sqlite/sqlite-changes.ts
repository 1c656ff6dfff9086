import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { EventChannel } from '../../base/events.ts';
import type { Logger } from '../../base/logger.ts';
import { bumpRevision, type Change, type ChangeBus, type CommittedChange, type Topic, topics } from '../change-bus.ts';
import type { Tables } from '../tables.ts';

/** How long a look for news of other processes counts. */
const lookCountsMs = 0.1;
const pollMs = 150;
/** Beside this topic's counter, a row for each id holds the count at which it last changed. */
const keyedTopic = 'brain';

interface SqliteChangesParts {
  connection: DatabaseSync;
  logger: Logger;
  /** Waits for a transaction that is open. */
  read<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
}

/**
 * Every transaction raises the counters of what it changed. SQLite's `data_version` says in microseconds whether another process
 * has committed anything; only then are the counters read again.
 */
export class SqliteChanges implements ChangeBus {
  readonly #parts: SqliteChangesParts;
  readonly #channel: EventChannel<Change>;
  readonly #dataVersion: StatementSync;
  readonly #readCounter: StatementSync;
  /** The counters, as long as nobody else has written. */
  readonly #known = new Map<Topic, number>();
  /** The counters that listeners have heard of. */
  readonly #told = new Map<Topic, number>();
  #seenDataVersion: unknown;
  #freshUntil = 0;
  #polledDataVersion: unknown;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: SqliteChangesParts) {
    const { connection, logger } = parts;
    this.#parts = parts;
    this.#channel = new EventChannel((error) => logger.error({ err: error }, 'a listener of changes failed'));
    this.#dataVersion = connection.prepare('pragma data_version');
    // A list costs less than an object, and this is asked for often.
    this.#dataVersion.setReturnArrays(true);
    this.#readCounter = connection.prepare('select value from revisions where key = ?');
  }

  version(topic: Topic): number | undefined {
    if (this.#isClosed || this.#parts.connection.isTransaction) return undefined;
    const now = performance.now();
    if (now >= this.#freshUntil) this.#lookForNews(now);
    return this.#known.get(topic) ?? this.#learn(topic);
  }

  on(listener: (change: Change) => void): () => void {
    const stop = this.#channel.on(listener);
    if (!this.#timer) {
      this.#polledDataVersion = this.#readDataVersion();
      this.#freshUntil = 0;
      // What cannot be told at once counts as changed.
      for (const topic of topics) this.#told.set(topic, this.version(topic) ?? this.#told.get(topic) ?? 0);
      this.#timer = setInterval(() => this.#poll(), pollMs).unref();
    }
    return () => {
      stop();
      if (this.#channel.size === 0) this.#stopPolling();
    };
  }

  /** The last statements of a transaction. Returns what is to be told after its commit. */
  async note(db: Kysely<Tables>, changes: readonly CommittedChange[]): Promise<CommittedChange[]> {
    const noted: CommittedChange[] = [];
    for (const change of changes) {
      const number = change.number ?? (await bumpRevision(db, change.topic));
      if (change.topic === keyedTopic) await setCounters(db, change.ids, number);
      noted.push({ ...change, number });
    }
    return noted;
  }

  committed(changes: readonly CommittedChange[]): void {
    for (const { topic, ids, number = 0 } of changes) {
      // Not set: a look that came first may know of a newer one.
      this.#known.delete(topic);
      if (this.#channel.size === 0) continue;
      const isNext = number === (this.#told.get(topic) ?? 0) + 1;
      // Another process was faster; whose ids changed, the rows tell.
      if (topic === keyedTopic && !isNext) this.#look();
      else this.#tell({ topic, ids }, number);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPolling();
  }

  #tell(change: Change, number: number): void {
    if (number <= (this.#told.get(change.topic) ?? 0)) return;
    this.#told.set(change.topic, number);
    this.#channel.emit(change);
  }

  #poll(): void {
    const dataVersion = this.#readDataVersion();
    if (dataVersion === undefined || dataVersion === this.#polledDataVersion) return;
    this.#polledDataVersion = dataVersion;
    this.#look();
  }

  /** One look after the other; a failure is told to the log, and the next one sees what this one missed. */
  #look(): void {
    this.#looking = this.#looking
      .then(() => this.#tellNews())
      .catch((error: unknown) => {
        this.#polledDataVersion = undefined;
        if (!this.#isClosed) this.#parts.logger.warn({ err: error }, 'changes by other processes could not be read');
      });
  }

  async #tellNews(): Promise<void> {
    if (this.#isClosed) return;
    const { counters, keyed } = await this.#parts.read(async (db) => {
      const rows = db.selectFrom('revisions').selectAll();
      return {
        // Before the ids: one that changes between the two reads is told again with the next change.
        counters: await rows.where('key', 'in', topics).execute(),
        keyed: await rows
          .where('key', '>', `${keyedTopic}:`)
          .where('key', '<', `${keyedTopic};`)
          .where('value', '>', this.#told.get(keyedTopic) ?? 0)
          .execute(),
      };
    });
    const ids = keyed.map(({ key }) => key.slice(keyedTopic.length + 1));
    for (const topic of topics) {
      const number = counters.find(({ key }) => key === topic)?.value ?? 0;
      this.#tell({ topic, ids: topic === keyedTopic ? ids : [] }, number);
    }
  }

  /**
   * A look costs more than all that a call computes. Another process acknowledges a write only when it is on the disk, which
   * takes longer than a look counts: nobody can have heard of a write that an earlier look has missed.
   */
  #lookForNews(now: number): void {
    const dataVersion = this.#readDataVersion();
    if (dataVersion !== this.#seenDataVersion) this.#known.clear();
    this.#seenDataVersion = dataVersion;
    this.#freshUntil = now + lookCountsMs;
  }

  #learn(topic: Topic): number | undefined {
    try {
      const value = Number(this.#readCounter.get(topic)?.value ?? 0);
      this.#known.set(topic, value);
      return value;
    } catch {
      return undefined;
    }
  }

  /** Changes with each commit of another connection. Undefined when it cannot be told now. */
  #readDataVersion(): unknown {
    try {
      const row: unknown = this.#dataVersion.get();
      return Array.isArray(row) ? row[0] : undefined;
    } catch {
      // Busy or worse: whoever reads next waits, or hears what is wrong.
      return undefined;
    }
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

async function setCounters(db: Kysely<Tables>, ids: readonly string[], value: number): Promise<void> {
  for (const id of ids) {
    await db
      .insertInto('revisions')
      .values({ key: `${keyedTopic}:${id}`, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  }
}
