import type { ChainedDecision, DecisionBatch } from '../decisions-chain.ts';
import { decisionColumns, recordColumns, wordsOf } from '../decisions-rows.ts';

const columns = decisionColumns.join(', ');

/**
 * All rows are one text, so any number of them is the same prepared statement, and cheaper than one array for each column. Answers with
 * the numbers of the entries when the chain was as its writer left it; otherwise with nothing, and nothing is inserted.
 */
const insertRows = `insert into decisions (${columns}) select ${columns}
  from rows from (json_to_recordset($1::json) as (${recordColumns})) with ordinality as added (${columns}, place)`;

const insertNext = {
  name: 'insert-decisions',
  text: `${insertRows} where exists (select from decisions where seq = $2 and hash = $3) order by place returning seq`,
};

const insertFirst = {
  name: 'insert-first-decisions',
  text: `with chain as (
      insert into decision_chains
        (chain, holder, started_at, first_no, hash_before_first, last_no, last_hash)
      values ($2, $3, $4, 1, '', 0, '')
    )
    ${insertRows} order by place returning seq`,
};

export function insertDecisionsOf(batch: DecisionBatch): { name: string; text: string; values: unknown[] } {
  const { chain, after, holder, startedAt } = batch;
  const rows = JSON.stringify(batch.rows.map((row) => toRecord(chain, row)));
  return after
    ? { ...insertNext, values: [rows, after.seq, after.hash] }
    : { ...insertFirst, values: [rows, chain, holder, startedAt] };
}

/** What is null is left out. */
function toRecord(chain: string, { entry, no, hash }: ChainedDecision): Record<string, unknown> {
  const { at, kind, callId: call_id, surface, tool, context } = entry;
  const [decision, reasoning] = wordsOf(entry);
  return {
    chain,
    no,
    hash: hash ?? undefined,
    at,
    kind,
    call_id,
    surface,
    agent_id: entry.agentId ?? undefined,
    persona: entry.persona ?? undefined,
    task_id: entry.taskId ?? undefined,
    tool,
    decision: decision ?? undefined,
    reasoning: reasoning ?? undefined,
    context,
  };
}
