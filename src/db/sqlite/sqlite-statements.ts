import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { BulkInsert, PreparedQuery } from '../database.ts';

/** Statements that are prepared once for a connection: preparing one costs more than running it. */
export class SqliteStatements {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  select<Row>(query: PreparedQuery): Row[] {
    const values = query.values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value));
    // The caller names the columns of its own statement.
    return this.#prepare(query.text).all(...values) as Row[];
  }

  /** One transaction from begin to end with no await in between. */
  fillSegment(segment: number, inserts: readonly BulkInsert[]): boolean {
    this.#connection.exec('begin immediate');
    try {
      const isOpen = this.#prepare("select id from knowledge_segments where id = ? and state = 'open'").get(segment);
      if (isOpen) for (const insert of inserts) this.#insert(insert);
      this.#connection.exec('commit');
      return isOpen !== undefined;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
      throw error;
    }
  }

  #insert({ table, columns, rows }: BulkInsert): void {
    const names = columns.map((column) => column.name).join(', ');
    const statement = this.#prepare(`insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`);
    for (const row of rows) statement.run(...(row as SQLInputValue[]));
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.#connection.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}
