import type { DecisionEntry } from '../../tools/decision-log.ts';

/** One array for each column: any number of rows is the same prepared statement. */
export const insertDecisionsQuery = {
  name: 'insert-decisions',
  text: `insert into decisions (call_id, kind, at, surface, agent_id, persona, task_id, tool, decision, reasoning, context)
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])`,
};

export function decisionArrays(rows: readonly DecisionEntry[]): unknown[][] {
  return [
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
  ];
}
