import type { Kysely, RawBuilder, SelectQueryBuilder } from 'kysely';
import type { Tables } from './tables.ts';

type ColumnType = 'bigint' | 'integer' | 'text';

interface ChangeLock {
  table: keyof Tables;
  /** The column with the numbers of changes. */
  column: string;
  lock: number;
  key: string;
}

/** SQL that differs between the databases. Stores use it instead of asking which database they run on. */
export interface SqlDialect {
  /** Whether rows become visible in the order of their numbers. If not, a smaller number may appear after a greater one. */
  readonly commitsInOrder: boolean;
  /** Whether statements run on the event loop, so that long work has to be cut into small slices. */
  readonly runsOnEventLoop: boolean;
  /** Whether the database can compare vectors, if its administrator has installed the extension for it. */
  readonly comparesVectors: boolean;
  /** The database's own clock in milliseconds; absent when the database is a file that several machines may share. */
  readonly now?: RawBuilder<number>;

  /** Locks the selected rows until the transaction ends. */
  lockRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>;
  /** Locks the selected rows until the transaction ends, and skips rows that another transaction has locked. */
  lockFreeRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>;
  /** Makes other writers of the tables wait until the transaction ends. They may still read. */
  lockTables(db: Kysely<Tables>, tables: readonly (keyof Tables)[]): Promise<void>;
  /**
   * Waits until no other transaction holds this lock, then holds it until the transaction ends. Each use has its own number,
   * and locks with a key are separate from those without.
   */
  lock(db: Kysely<Tables>, number: number, key?: string): Promise<void>;
  /** Resolves to true once every transaction that was writing to the table has ended; to false if that takes too long. */
  writersEnded(db: Kysely<Tables>, table: keyof Tables): Promise<boolean>;

  /** Takes a lock as `lock` does, and returns a number for the rows that this transaction changes, greater than that of any ended change. */
  beginChange(db: Kysely<Tables>, change: ChangeLock): Promise<number>;
  /** The number below which every change is visible, or was rolled back. */
  settledChange(table: keyof Tables, column: string): RawBuilder<number>;

  least(one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<number>;
  greatest(one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<number>;
  /** A number in a JSON object; null if the object has none of that name. */
  numberIn(column: RawBuilder<unknown>, name: string): RawBuilder<number | null>;
  contains(column: RawBuilder<unknown>, text: string): RawBuilder<boolean>;
  /** Like `contains`, ignoring case: in SQLite that of all letters, in PostgreSQL that of the database's locale. */
  mentions(column: RawBuilder<unknown>, text: string): RawBuilder<boolean>;
  /** The texts as rows with one column, `value`, for a FROM clause. The statement is the same for any number of them. */
  textRows(texts: readonly string[]): RawBuilder<unknown>;
  /** The elements of a JSON array as rows with one column, `value`, for a FROM clause. */
  jsonRows(json: string): RawBuilder<unknown>;

  /** Fragments for `Database.select`, whose statements are written out. Parameters are numbered from 1. */
  readonly prepared: {
    parameter(number: number): string;
    /** Whether the column's value is in the list that is this parameter. */
    isInList(column: string, number: number, type: ColumnType): string;
    /** Rows for a FROM clause with one column for each list; the lists are the first parameters. */
    rowsOfLists(alias: string, columns: readonly { name: string; type: ColumnType }[]): string;
  };
}
