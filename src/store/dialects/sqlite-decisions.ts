import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { ChainedDecision, DecisionBatch } from '../decisions-chain.ts';
import { decisionColumns, wordsOf } from '../decisions-rows.ts';

const columns = decisionColumns.join(', ');
const values = decisionColumns.map(() => '?').join(', ');
/** SQLite gives numbers at the end again when their rows were pruned. What is pruned was noted, so the mark remembers them. */
const nextSeq =
  "max((select coalesce(max(seq), 0) from decisions), (select seq from decision_marks where name = 'noted')) + 1";

type Statements = Record<'begin' | 'commit' | 'addChain' | 'addFirst' | 'addNext' | 'addMore', StatementSync>;

/** Inserts entries from begin to end with no await in between. */
export class SqliteDecisions {
  readonly #connection: DatabaseSync;
  /** Prepared with the first entry: a process that only lists its tools starts without them. */
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
          values (?, ?, ?, 1, '', 0, '')`,
      ),
      addFirst: prepare(`insert into decisions (seq, ${columns}) select ${nextSeq}, ${values}`),
      addNext: prepare(
        `insert into decisions (seq, ${columns}) select ${nextSeq}, ${values}
          where exists (select 1 from decisions where seq = ? and hash = ?)`,
      ),
      addMore: prepare(`insert into decisions (${columns}) values (${values})`),
    };
    return this.#prepared;
  }

  /** The number of the last entry; undefined, and nothing is inserted, when the chain is not as its writer left it. */
  insert(batch: DecisionBatch): number | undefined {
    const [first, ...more] = batch.rows;
    if (!first) return batch.after?.seq;
    // One statement is a transaction of its own, for half the price.
    if (batch.after && more.length === 0) return this.#insertNext(batch.chain, first, batch.after);
    this.#statements.begin.run();
    try {
      const seq = this.#insertAll(batch, first, more);
      this.#statements.commit.run();
      return seq;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
      throw error;
    }
  }

  #insertAll(batch: DecisionBatch, first: ChainedDecision, more: readonly ChainedDecision[]): number | undefined {
    const { chain, after } = batch;
    let seq = after ? this.#insertNext(chain, first, after) : this.#insertFirst(batch, first);
    if (seq === undefined) return undefined;
    for (const row of more) seq = Number(this.#statements.addMore.run(...valuesOf(chain, row)).lastInsertRowid);
    return seq;
  }

  #insertFirst({ chain, holder, startedAt }: DecisionBatch, row: ChainedDecision): number {
    this.#statements.addChain.run(chain, holder, startedAt);
    return Number(this.#statements.addFirst.run(...valuesOf(chain, row)).lastInsertRowid);
  }

  #insertNext(chain: string, row: ChainedDecision, after: { seq: number; hash: string }): number | undefined {
    const added = this.#statements.addNext.run(...valuesOf(chain, row), after.seq, after.hash);
    return added.changes === 1 ? Number(added.lastInsertRowid) : undefined;
  }
}

function valuesOf(chain: string, { entry, no, hash }: ChainedDecision): SQLInputValue[] {
  const { at, kind, callId, surface, agentId, persona, taskId, tool, context } = entry;
  const [decision, reasoning] = wordsOf(entry);
  return [chain, no, hash, at, kind, callId, surface, agentId, persona, taskId, tool, decision, reasoning, context];
}
