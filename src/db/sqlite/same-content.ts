import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { primaryCode } from './sqlite-busy.ts';

/** SQLITE_ERROR (there is no such table), SQLITE_CORRUPT, SQLITE_NOTADB: see sqlite.org/rescode.html. */
const foreignCodes: ReadonlySet<number> = new Set([1, 11, 26]);

/** Changes with nearly every write of the hub, and with every other database. */
const markSql = `select (select schema_version from pragma_schema_version) || ' ' ||
  (select coalesce(max(seq), 0) from decision_groups) || ' ' ||
  (select coalesce(group_concat(key || '=' || value, ' '), '') from (select key, value from revisions order by key)) as mark`;

/**
 * Compares what a connection sees with what a new one reads from the file. A connection keeps pages in memory, so it does not notice
 * that its file was overwritten in place; a new one does. SQLite opens and closes it: a descriptor of our own would drop its locks.
 */
export class SameContent {
  readonly #connection: DatabaseSync;
  readonly #file: string;
  #own: StatementSync | undefined;

  constructor(connection: DatabaseSync, file: string) {
    this.#connection = connection;
    this.#file = file;
  }

  /** Undefined when it cannot be told now: a transaction is open, or another process writes. */
  compare(): boolean | undefined {
    if (this.#connection.isTransaction) return undefined;
    const before = this.#readOwn();
    if (before === undefined) return undefined;
    const fresh = this.#readFresh();
    if (fresh === undefined) return undefined;
    if (fresh === before) return true;
    return this.#readOwn() === before ? false : undefined;
  }

  /** Undefined where the connection itself cannot read: that is a fault of its own, and not for this look to judge. */
  #readOwn(): unknown {
    try {
      this.#own ??= this.#connection.prepare(markSql);
      return this.#own.get()?.mark;
    } catch {
      return undefined;
    }
  }

  /** Null where it is no database of ours any more; undefined where it cannot be read now. */
  #readFresh(): unknown {
    let connection: DatabaseSync | undefined;
    try {
      connection = new DatabaseSync(this.#file, { readOnly: true, timeout: 2 });
      return connection.prepare(markSql).get()?.mark;
    } catch (error) {
      return foreignCodes.has(primaryCode(error) ?? -1) ? null : undefined;
    } finally {
      connection?.close();
    }
  }
}
