import type { ChainedDecision, DecisionBatch } from '../decisions-chain.ts';
import { decisionColumns, recordColumns, wordsOf } from '../decisions-rows.ts';

const columns = decisionColumns.join(', ');

const own = decisionColumns.filter((column) => column !== 'chain').join(', ');

/**
 * All rows are one text, so any number of them is the same prepared statement, and cheaper than one array for each column. Answers with
 * the number of the last entry when the chain was as its writer left it; otherwise with null, and nothing is inserted.
 */
const insertRows = (condition: string) => `added as (
    insert into decisions (${columns}) select $2, ${own}
    from rows from (json_to_recordset($1::json) as (${recordColumns})) with ordinality as record (${columns}, place)
    ${condition} order by place returning seq
  ) select max(seq) as seq from added`;

const insertNext = {
  name: 'insert-decisions',
  text: `with ${insertRows('where exists (select from decisions where seq = $3 and hash = $4)')}`,
};

const insertFirst = {
  name: 'insert-first-decisions',
  text: `with chain as (
      insert into decision_chains
        (chain, holder, started_at, first_no, hash_before_first, last_no, last_hash)
      values ($2, $3, $4, 1, '', 0, '')
    ), ${insertRows('')}`,
};

export function insertDecisionsOf(batch: DecisionBatch): { name: string; text: string; values: unknown[] } {
  const { chain, after, holder, startedAt } = batch;
  const rows = JSON.stringify(batch.rows.map(toRecord));
  return after
    ? { ...insertNext, values: [rows, chain, after.seq, after.hash] }
    : { ...insertFirst, values: [rows, chain, holder, startedAt] };
}

/** What is null is left out. */
function toRecord({ entry, no, hash }: ChainedDecision): Record<string, unknown> {
  const { at, kind, callId: call_id, surface, tool, context } = entry;
  const [decision, reasoning] = wordsOf(entry);
  return {
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
