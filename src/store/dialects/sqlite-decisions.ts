import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { DecisionEntry } from '../../tools/decision-log.ts';

const columns = [
  'call_id',
  'kind',
  'at',
  'surface',
  'agent_id',
  'persona',
  'task_id',
  'tool',
  'decision',
  'reasoning',
  'context',
];
const oneRow = `(${columns.map(() => '?').join(', ')})`;
/** One statement takes so many rows; SQLite allows 32,766 values in one. */
const mostRows = 64;

/** Inserts groups of rows, each group in one transaction from begin to end with no await in between. */
export class SqliteDecisions {
  readonly #connection: DatabaseSync;
  /** By the number of rows: one statement for the group costs a third less than one for each row. */
  readonly #statements: StatementSync[] = [];

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  insert(rows: readonly DecisionEntry[]): void {
    if (rows.length === 0) return;
    if (rows.length <= mostRows) {
      // A statement of its own is a transaction that takes the write lock at once.
      this.#insertRows(rows);
      return;
    }
    this.#connection.exec('begin immediate');
    try {
      for (let start = 0; start < rows.length; start += mostRows) this.#insertRows(rows.slice(start, start + mostRows));
      this.#connection.exec('commit');
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
      throw error;
    }
  }

  #insertRows(rows: readonly DecisionEntry[]): void {
    const values: SQLInputValue[] = [];
    for (const row of rows) {
      values.push(row.callId, row.kind, row.at, row.surface, row.agentId, row.persona, row.taskId, row.tool);
      values.push(row.decision, row.reasoning, row.context);
    }
    this.#statementFor(rows.length).run(...values);
  }

  #statementFor(count: number): StatementSync {
    const known = this.#statements[count];
    if (known) return known;
    const rows = Array.from({ length: count }, () => oneRow).join(', ');
    const statement = this.#connection.prepare(`insert into decisions (${columns.join(', ')}) values ${rows}`);
    this.#statements[count] = statement;
    return statement;
  }
}
