import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { DecisionBatch } from '../decisions-chain.ts';

const columns =
  'call_id, kind, at, surface, agent_id, persona, task_id, tool, decision, reasoning, context, chain, chain_no, hash';
/** Without numbers: Node looks for the name of a numbered one among all of them. */
const oneRow = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
/** One statement takes so many rows; SQLite allows 32,766 values in one. */
const mostRows = 64;

/** Inserts groups of rows, each group in one transaction from begin to end with no await in between. */
export class SqliteDecisions {
  readonly #connection: DatabaseSync;
  /** By the number of rows: one statement for the group costs a third less than one for each row. */
  readonly #inserts: StatementSync[] = [];
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #moveChain: StatementSync;
  readonly #addChain: StatementSync;
  readonly #count: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#begin = connection.prepare('begin immediate');
    this.#commit = connection.prepare('commit');
    this.#moveChain = connection.prepare(
      'update decision_chains set last_no = ?, last_hash = ?, open_since = ?, seen_at = ? where chain = ? and last_no = ?',
    );
    this.#addChain = connection.prepare(
      `insert or ignore into decision_chains
        (chain, host, pid, started_at, first_no, hash_before_first, last_no, last_hash, open_since, seen_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#count = connection.prepare(
      `insert into decision_counts (minute, tool, agent_id, chain, calls, errors) values (?, ?, ?, ?, ?, ?)
        on conflict (minute, tool, agent_id, chain) do update set calls = calls + excluded.calls, errors = errors + excluded.errors`,
    );
  }

  /** False, and nothing is inserted, when the chain is not as its writer left it. */
  insert(batch: DecisionBatch): boolean {
    if (batch.rows.length === 0) return true;
    this.#begin.run();
    try {
      const fits = this.#writeChain(batch);
      if (fits) {
        for (let start = 0; start < batch.rows.length; start += mostRows) this.#insertRows(batch, start);
        for (const { minute, tool, agentId, calls, errors } of batch.counters)
          this.#count.run(minute, tool, agentId, batch.chain, calls, errors);
      }
      this.#commit.run();
      return fits;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
      throw error;
    }
  }

  #writeChain(batch: DecisionBatch): boolean {
    const { chain, firstNo, hashBefore, lastNo, lastHash, openSince, seenAt } = batch;
    if (this.#moveChain.run(lastNo, lastHash, openSince, seenAt, chain, firstNo - 1).changes === 1) return true;
    const { host, pid, startedAt } = batch;
    const added = this.#addChain.run(
      ...[chain, host, pid, startedAt, firstNo, hashBefore, lastNo, lastHash, openSince, seenAt],
    );
    return added.changes === 1;
  }

  #insertRows({ rows, hashes, chain, firstNo }: DecisionBatch, start: number): void {
    const end = Math.min(rows.length, start + mostRows);
    const values: SQLInputValue[] = [];
    for (let index = start; index < end; index += 1) {
      const row = rows[index];
      if (!row) break;
      values.push(row.callId, row.kind, row.at, row.surface, row.agentId, row.persona, row.taskId, row.tool);
      values.push(row.decision, row.reasoning, row.context, chain, firstNo + index, hashes[index] ?? '');
    }
    this.#insertFor(end - start).run(...values);
  }

  #insertFor(count: number): StatementSync {
    const known = this.#inserts[count];
    if (known) return known;
    const rows = Array.from({ length: count }, () => oneRow);
    const statement = this.#connection.prepare(`insert into decisions (${columns}) values ${rows.join(', ')}`);
    this.#inserts[count] = statement;
    return statement;
  }
}
