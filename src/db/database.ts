import type { Kysely, Transaction } from 'kysely';
import type { HubError } from '../base/hub-error.ts';
import type { ChangeBus, CountedTopic, Topic } from './change-bus.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/** A database as the stores see it. SQLite and PostgreSQL each implement it. */
export interface Database {
  /** For people to read. Stores use `dialect` for everything that differs. */
  readonly kind: 'sqlite' | 'postgres';
  readonly dialect: SqlDialect;
  /** The clock that all processes share; undefined while it is not known. Absent for a file: its machine's clock is the one clock. */
  readonly clock?: { now(): number | undefined };
  /** For people to read: the file, or the host and database name without credentials. */
  readonly location: string;
  /** The folder of the database's file; absent if another machine stores the data, or none does. */
  readonly folder?: string | undefined;
  /** What is wrong with the storage, or with the way to it. */
  readonly health?: {
    /** The last fault, unless something has been written since, or the server is back. `details.since`: reads fail, too, since then. */
    readonly fault: HubError | undefined;
    /** Calls back when a fault appears, changes or is gone. */
    watch(onChange: () => void): () => void;
  };
  /**
   * Throws TRANSIENT_ERROR if the database stays busy, UNAVAILABLE if it cannot be reached (both within seconds), STORAGE_FULL or
   * STORAGE_FAILED. `isJob` allows each statement a minute, for work that nobody waits for.
   */
  read<T>(run: (db: Kysely<Tables>) => Promise<T>, options?: { isJob?: boolean }): Promise<T>;
  /**
   * Runs one transaction, repeats it if another process is in the way, and resolves when it is on the disk. With `isDurable: false`,
   * every process sees the commit, but a power failure within the next moment loses it. Fails as `read` does;
   * `details.mayHaveRun` means that the change may have been stored anyway.
   */
  write<T>(run: (write: Write) => Promise<T>, options?: { isDurable?: boolean; isJob?: boolean }): Promise<T>;
  /**
   * Runs one statement that writes and announces nothing, without a transaction around it. Fails as `write` does. For what every process
   * repeats all day.
   */
  execute<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Announces changes by any process. */
  readonly changes: ChangeBus;
  /**
   * Commits entries of the decision log in one transaction. Calls `take` when it is ready to insert, so that entries that arrive
   * while it waits still join, and again for each retry. Returns the number of the last group, or undefined (and writes nothing) if
   * the chain is not as its writer left it. `since` is when the first entry arrived (`performance.now()`); the time limit for locks
   * counts from then.
   */
  insertDecisions(take: () => DecisionBatch, since?: number): Promise<number | undefined> | number | undefined;
  /** Returns the rows of a statement that is prepared once and used often. One statement is one snapshot. Fails as `read` does. */
  select<Row>(query: PreparedQuery): Promise<Row[]>;
  /**
   * Inserts many rows in one transaction, for an index segment that nobody sees yet. Announces nothing; the next `write` brings
   * the rows to the disk. Returns false and inserts nothing if the segment is no longer open. Fails as `write` does.
   */
  fillSegment(segment: number, inserts: readonly BulkInsert[]): Promise<boolean>;
  /**
   * Resolves when everything committed so far is on the disk; absent if every commit already is. `isShort`: there is little to
   * sync, so a fast disk may be waited for on the event loop. Throws UNAVAILABLE, STORAGE_FULL, STORAGE_FAILED.
   */
  sync?(isShort?: boolean): Promise<void>;
  /** Runs the steps that are left; with `isForced`, also those that wait for older processes. Returns those that still wait. */
  migrate(options?: { isForced?: boolean }): Promise<WaitingStep[]>;
  /** Checks that the database can be written to. Throws STORAGE_FULL, STORAGE_FAILED, UNAVAILABLE. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** A contract step that was left for later, and the processes that it waits for. */
export interface WaitingStep {
  name: string;
  waitsFor: string[];
}

/** The groups of the decision log that one transaction writes. */
export interface DecisionBatch {
  chain: string;
  holder: string;
  startedAt: number;
  /** The group before these, which must be there as it was written; undefined if these begin the chain. */
  after: { seq: number; hash: string } | undefined;
  groups: readonly DecisionGroup[];
}

/** Entries of the decision log that are one row of the database. */
export interface DecisionGroup {
  /** The number of the first entry in its chain. */
  firstNo: number;
  rows: number;
  /** The smallest and the greatest time among the entries. */
  firstAt: number;
  lastAt: number;
  hash: string;
  entries: string;
}

export interface Write {
  readonly db: Transaction<Tables>;
  /** Announces to every process, after the commit, that rows of a topic changed: those with the ids, or any row if none are given. */
  changed(topic: Topic, ...ids: readonly string[]): void;
  /** The same for a topic with one writer at a time: others wait here until this transaction ends. Returns a number that only grows. */
  bump(topic: CountedTopic): Promise<number>;
}

export interface PreparedQuery {
  /** Each text has its own name. */
  name: string;
  text: string;
  /** Values for the numbered parameters. An array is one value (SQLite gets it as JSON). */
  values: readonly (string | number | readonly (string | number | readonly number[])[])[];
}

export interface BulkInsert {
  table: 'knowledge_texts' | 'knowledge_chunks' | 'knowledge_postings';
  /** Column names and PostgreSQL types, in the order of the values. */
  columns: readonly { name: string; type: 'bigint' | 'integer' | 'text' | 'bytea' }[];
  rows: readonly (readonly (string | number | Uint8Array)[])[];
}
