import type { DecisionBatch } from '../decisions-chain.ts';

/**
 * One array for each column: any number of rows is the same prepared statement. Answers with one row when the chain was
 * as its writer left it; otherwise with none, and nothing is inserted.
 */
const insertDecisionsQuery = {
  name: 'insert-decisions',
  text: `with moved as (
      insert into decision_chains
        (chain, host, pid, started_at, first_no, hash_before_first, last_no, last_hash, open_since, seen_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      on conflict (chain) do update set last_no = excluded.last_no, last_hash = excluded.last_hash,
        open_since = excluded.open_since, seen_at = excluded.seen_at
      where decision_chains.last_no = excluded.first_no - 1
      returning 1
    ), counted as (
      insert into decision_counts (minute, tool, agent_id, chain, calls, errors)
      select minute, tool, agent_id, $1, calls, errors
      from unnest($11::bigint[], $12::text[], $13::text[], $14::integer[], $15::integer[])
        as counter (minute, tool, agent_id, calls, errors)
      where exists (select from moved)
      on conflict (minute, tool, agent_id, chain) do update set
        calls = decision_counts.calls + excluded.calls, errors = decision_counts.errors + excluded.errors
    ), inserted as (
      insert into decisions (call_id, kind, at, surface, agent_id, persona, task_id, tool, decision, reasoning, context,
        hash, chain, chain_no)
      select call_id, kind, at, surface, agent_id, persona, task_id, tool, decision, reasoning, context, hash, $1, $5 + place - 1
      from unnest($16::text[], $17::text[], $18::bigint[], $19::text[], $20::text[], $21::text[], $22::text[],
        $23::text[], $24::text[], $25::text[], $26::text[], $27::text[]) with ordinality
        as entry (call_id, kind, at, surface, agent_id, persona, task_id, tool, decision, reasoning, context, hash, place)
      where exists (select from moved)
      order by place
    )
    select from moved`,
};

export function insertDecisionsOf(batch: DecisionBatch): { name: string; text: string; values: unknown[] } {
  const { rows, counters } = batch;
  return {
    ...insertDecisionsQuery,
    values: [
      ...[batch.chain, batch.host, batch.pid, batch.startedAt, batch.firstNo, batch.hashBefore],
      ...[batch.lastNo, batch.lastHash, batch.openSince, batch.seenAt],
      counters.map((counter) => counter.minute),
      counters.map((counter) => counter.tool),
      counters.map((counter) => counter.agentId),
      counters.map((counter) => counter.calls),
      counters.map((counter) => counter.errors),
      rows.map((row) => row.callId),
      rows.map((row) => row.kind),
      rows.map((row) => row.at),
      rows.map((row) => row.surface),
      rows.map((row) => row.agentId),
      rows.map((row) => row.persona),
      rows.map((row) => row.taskId),
      rows.map((row) => row.tool),
      rows.map((row) => row.decision),
      rows.map((row) => row.reasoning),
      rows.map((row) => row.context),
      batch.hashes,
    ],
  };
}
