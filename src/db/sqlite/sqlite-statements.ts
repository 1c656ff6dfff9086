import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { BulkInsert, DecisionBatch, DecisionGroup, PreparedQuery } from '../database.ts';

/** Prepares each statement once per connection, because preparing costs more than running. */
export class SqliteStatements {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  select<Row>(query: PreparedQuery): Row[] {
    const values = query.values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value));
    // The caller knows the columns of its statement.
    return this.#prepare(query.text).all(...values) as Row[];
  }

  /** Runs one synchronous transaction. */
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

const columns = 'chain, first_no, row_count, first_at, last_at, hash, entries';
/** SQLite reuses the numbers of rows pruned at the end. Pruned rows were indexed before, so the mark prevents that. */
const nextSeq =
  "max((select coalesce(max(seq), 0) from decision_groups), (select seq from decision_marks where name = 'noted')) + 1";

type Statements = Record<'begin' | 'commit' | 'addChain' | 'addFirst' | 'addNext' | 'addMore', StatementSync>;

/** Inserts groups of decisions synchronously. */
export class SqliteDecisions {
  readonly #connection: DatabaseSync;
  /** Prepared with the first group, so that a process that only lists its tools starts faster. */
  #prepared: Statements | undefined;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  get #statements(): Statements {
    const prepare = (text: string) => this.#connection.prepare(text);
    this.#prepared ??= {
      begin: prepare('begin immediate'),
      commit: prepare('commit'),
      addChain: prepare(
        `insert into decision_chains
          (chain, holder, started_at, first_no, hash_before_first, last_no, last_hash)
          values (?, ?, ?, ?, '', 0, '')`,
      ),
      addFirst: prepare(`insert into decision_groups (seq, ${columns}) select ${nextSeq}, ?, ?, ?, ?, ?, ?, ?`),
      addNext: prepare(
        `insert into decision_groups (seq, ${columns}) select ${nextSeq}, ?, ?, ?, ?, ?, ?, ?
          where exists (select 1 from decision_groups where seq = ? and hash = ?)`,
      ),
      addMore: prepare(`insert into decision_groups (${columns}) values (?, ?, ?, ?, ?, ?, ?)`),
    };
    return this.#prepared;
  }

  /** Returns the number of the last group, or undefined (and inserts nothing) if the chain is not as its writer left it. */
  insert(batch: DecisionBatch): number | undefined {
    const [group, ...more] = batch.groups;
    if (!group) return batch.after?.seq;
    // A single statement is its own transaction, at half the cost.
    if (batch.after && more.length === 0) return this.#insertNext(batch.chain, group, batch.after);
    this.#statements.begin.run();
    try {
      const seq = this.#insertAll(batch, group, more);
      this.#statements.commit.run();
      return seq;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
      throw error;
    }
  }

  #insertAll(batch: DecisionBatch, first: DecisionGroup, more: readonly DecisionGroup[]): number | undefined {
    const { chain, after } = batch;
    let seq = after ? this.#insertNext(chain, first, after) : this.#insertFirst(batch, first);
    if (seq === undefined) return undefined;
    for (const group of more) seq = Number(this.#statements.addMore.run(...valuesOf(chain, group)).lastInsertRowid);
    return seq;
  }

  #insertFirst({ chain, holder, startedAt }: DecisionBatch, group: DecisionGroup): number {
    this.#statements.addChain.run(chain, holder, startedAt, group.firstNo);
    return Number(this.#statements.addFirst.run(...valuesOf(chain, group)).lastInsertRowid);
  }

  #insertNext(chain: string, group: DecisionGroup, after: { seq: number; hash: string }): number | undefined {
    const added = this.#statements.addNext.run(...valuesOf(chain, group), after.seq, after.hash);
    return added.changes === 1 ? Number(added.lastInsertRowid) : undefined;
  }
}

function valuesOf(chain: string, group: DecisionGroup): [string, number, number, number, number, string, string] {
  return [chain, group.firstNo, group.rows, group.firstAt, group.lastAt, group.hash, group.entries];
}
