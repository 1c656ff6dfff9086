import type { Kysely, Transaction } from 'kysely';
import type { HubError } from '../base/hub-error.ts';
import type { ChangeBus, CountedTopic, Topic } from './change-bus.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/** What the stores of the concepts need of a database; each dialect has one. */
export interface Database {
  /** For people to read; stores use `dialect` for everything that differs. */
  readonly kind: 'sqlite' | 'postgres';
  readonly dialect: SqlDialect;
  /** For people: the file, or host and database name without credentials. */
  readonly location: string;
  /** The folder of the database's file; absent if another machine stores the data, or none does. */
  readonly folder?: string | undefined;
  /** What is wrong with the storage; absent if another machine looks after it. */
  readonly health?: {
    /** The last fault, unless something has been written since. */
    readonly fault: HubError | undefined;
    /** Calls back when a fault appears, changes or is gone. */
    watch(onChange: () => void): () => void;
  };
  /**
   * TRANSIENT_ERROR when the database stays busy, UNAVAILABLE when it cannot be reached, both within seconds; STORAGE_FULL,
   * STORAGE_FAILED. `isJob` allows each statement a minute, for what nobody waits for.
   */
  read<T>(run: (db: Kysely<Tables>) => Promise<T>, options?: { isJob?: boolean }): Promise<T>;
  /**
   * One transaction, repeated when another process is in the way, and on the disk when it resolves. `isDurable: false`: committed for
   * every process, but lost when the machine loses its power within the next moment. Fails as `read` does;
   * `details.mayHaveRun` says that the change may have been stored all the same.
   */
  write<T>(run: (write: Write) => Promise<T>, options?: { isDurable?: boolean; isJob?: boolean }): Promise<T>;
  /** What any process changed. */
  readonly changes: ChangeBus;
  /**
   * Commits entries of the decision log in one transaction. Calls `take` when it is ready to insert, so that entries which
   * arrive while it waits still join; perhaps again, for another try. Returns the number of the last group; undefined, and
   * nothing was written, when the chain is not as its writer left it. `since`: when the first of the entries arrived
   * (`performance.now()`); a lock is waited for from then on.
   */
  insertDecisions(take: () => DecisionBatch, since?: number): Promise<number | undefined> | number | undefined;
  /** The rows of a statement that is prepared once and asked for often; one statement is one snapshot. Fails as `read` does. */
  select<Row>(query: PreparedQuery): Promise<Row[]>;
  /**
   * Many rows in one transaction, for an index segment that nobody sees yet: nobody is told, and the next `write` brings
   * them to the disk. Returns false, and inserts nothing, when the segment is not open any more. Fails as `write` does.
   */
  fillSegment(segment: number, inserts: readonly BulkInsert[]): Promise<boolean>;
  /**
   * Resolves when everything committed so far is on the disk; absent where a commit means that already. `isShort`: there
   * is little to bring there, so a quick disk may be waited for on the spot. UNAVAILABLE, STORAGE_FULL, STORAGE_FAILED.
   */
  sync?(isShort?: boolean): Promise<void>;
  /** Checks that the database can be written to. Throws STORAGE_FULL, STORAGE_FAILED, UNAVAILABLE. */
  probe(): Promise<void>;
  close(): Promise<void>;
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
  /** Tells every process after the commit that rows of a topic are others: those of the ids, or any. */
  changed(topic: Topic, ...ids: readonly string[]): void;
  /** The same for a topic that is written by one transaction at a time: others wait here until this one ends. Returns its number, which only grows. */
  bump(topic: CountedTopic): Promise<number>;
}

export interface PreparedQuery {
  /** One name for each text. */
  name: string;
  text: string;
  /** For the question marks or `$1`, `$2`…; an array is one value: JSON in SQLite. */
  values: readonly (string | number | readonly (string | number | readonly number[])[])[];
}

export interface BulkInsert {
  table: 'knowledge_texts' | 'knowledge_chunks' | 'knowledge_postings';
  /** Name and PostgreSQL type, in the order of the values. */
  columns: readonly { name: string; type: 'bigint' | 'integer' | 'text' | 'bytea' }[];
  rows: readonly (readonly (string | number | Uint8Array)[])[];
}
