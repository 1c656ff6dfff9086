import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { EventChannel } from '../../base/events.ts';
import type { Logger } from '../../base/logger.ts';
import { bumpRevision, type Change, type ChangeBus, type CommittedChange, type Topic, topics } from '../change-bus.ts';
import type { Tables } from '../tables.ts';

/** How long a check for changes by other processes stays valid. */
const freshMs = 0.1;
const pollMs = 150;
/** Besides this topic's counter, each id has a row with the counter's value at its last change. */
const keyedTopic = 'brain';

interface SqliteChangesParts {
  connection: DatabaseSync;
  logger: Logger;
  /** Waits while a transaction is open. */
  read<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
}

/**
 * Announces changes through counters, which every transaction raises for the topics it changed. SQLite's `data_version` tells within
 * microseconds whether another process has committed anything; only then are the counters read again.
 */
export class SqliteChanges implements ChangeBus {
  readonly #parts: SqliteChangesParts;
  readonly #channel: EventChannel<Change>;
  readonly #dataVersion: StatementSync;
  readonly #readCounter: StatementSync;
  /** Counter values, valid until another process writes. */
  readonly #known = new Map<Topic, number>();
  /** Counter values that listeners know about. */
  readonly #announced = new Map<Topic, number>();
  #seenDataVersion: unknown;
  #freshUntil = 0;
  #polledDataVersion: unknown;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: SqliteChangesParts) {
    const { connection, logger } = parts;
    this.#parts = parts;
    this.#channel = new EventChannel((error) => logger.error({ err: error }, 'a change listener failed'));
    this.#dataVersion = connection.prepare('pragma data_version');
    // Arrays are cheaper than objects, and this runs often.
    this.#dataVersion.setReturnArrays(true);
    this.#readCounter = connection.prepare('select value from revisions where key = ?');
  }

  version(topic: Topic): number | undefined {
    if (this.#isClosed || this.#parts.connection.isTransaction) return undefined;
    const now = performance.now();
    if (now >= this.#freshUntil) this.#checkDataVersion(now);
    return this.#known.get(topic) ?? this.#readCounterOf(topic);
  }

  on(listener: (change: Change) => void): () => void {
    const stop = this.#channel.on(listener);
    if (!this.#timer) {
      this.#polledDataVersion = this.#readDataVersion();
      this.#freshUntil = 0;
      // A counter that cannot be read now counts as changed.
      for (const topic of topics) this.#announced.set(topic, this.version(topic) ?? this.#announced.get(topic) ?? 0);
      this.#timer = setInterval(() => this.#poll(), pollMs).unref();
    }
    return () => {
      stop();
      if (this.#channel.size === 0) this.#stopPolling();
    };
  }

  /** Runs the last statements of a transaction. Returns the changes to announce after its commit. */
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
      // Deleted instead of set: an earlier check may know a newer value.
      this.#known.delete(topic);
      if (this.#channel.size === 0) continue;
      const isNext = number === (this.#announced.get(topic) ?? 0) + 1;
      // Another process has written in between: the rows show which ids changed.
      if (topic === keyedTopic && !isNext) this.#look();
      else this.#announce({ topic, ids }, number);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPolling();
  }

  #announce(change: Change, number: number): void {
    if (number <= (this.#announced.get(change.topic) ?? 0)) return;
    this.#announced.set(change.topic, number);
    this.#channel.emit(change);
  }

  #poll(): void {
    const dataVersion = this.#readDataVersion();
    if (dataVersion === undefined || dataVersion === this.#polledDataVersion) return;
    this.#polledDataVersion = dataVersion;
    this.#look();
  }

  /** Runs one look after another. A failure is logged, and the next look finds what this one missed. */
  #look(): void {
    this.#looking = this.#looking
      .then(() => this.#announceNews())
      .catch((error: unknown) => {
        this.#polledDataVersion = undefined;
        if (!this.#isClosed) this.#parts.logger.warn({ err: error }, 'changes by other processes could not be read');
      });
  }

  async #announceNews(): Promise<void> {
    if (this.#isClosed) return;
    const { counters, keyed } = await this.#parts.read(async (db) => {
      const rows = db.selectFrom('revisions').selectAll();
      return {
        // Read before the ids: an id that changes between the two reads is announced again with the next change.
        counters: await rows.where('key', 'in', topics).execute(),
        keyed: await rows
          .where('key', '>', `${keyedTopic}:`)
          .where('key', '<', `${keyedTopic};`)
          .where('value', '>', this.#announced.get(keyedTopic) ?? 0)
          .execute(),
      };
    });
    const ids = keyed.map(({ key }) => key.slice(keyedTopic.length + 1));
    for (const topic of topics) {
      const number = counters.find(({ key }) => key === topic)?.value ?? 0;
      this.#announce({ topic, ids: topic === keyedTopic ? ids : [] }, number);
    }
  }

  /**
   * A check costs more than everything else in a call, so it is reused for a moment. Another process acknowledges a write only
   * when it is on the disk, which takes longer than that: no one can know about a write that the reused check missed.
   */
  #checkDataVersion(now: number): void {
    const dataVersion = this.#readDataVersion();
    if (dataVersion !== this.#seenDataVersion) this.#known.clear();
    this.#seenDataVersion = dataVersion;
    this.#freshUntil = now + freshMs;
  }

  #readCounterOf(topic: Topic): number | undefined {
    try {
      const value = Number(this.#readCounter.get(topic)?.value ?? 0);
      this.#known.set(topic, value);
      return value;
    } catch {
      return undefined;
    }
  }

  /** Returns a value that changes with each commit of another connection; undefined if it cannot be read now. */
  #readDataVersion(): unknown {
    try {
      const row: unknown = this.#dataVersion.get();
      return Array.isArray(row) ? row[0] : undefined;
    } catch {
      // Busy or worse: the next reader waits or gets the error.
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
