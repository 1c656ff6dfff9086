import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DecisionEntry } from '../../tools/decision-log.ts';

export function prepareDecisionInsert(connection: DatabaseSync): StatementSync {
  return connection.prepare(
    `insert into decisions (call_id, kind, at, surface, agent_id, tool, decision, reasoning, context)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
}

/** One transaction from begin to commit with no await: nothing else can use the connection in between. */
export function insertDecisionRows(
  connection: DatabaseSync,
  insert: StatementSync,
  take: () => readonly DecisionEntry[],
): void {
  connection.exec('begin immediate');
  try {
    for (const row of take()) {
      insert.run(
        row.callId,
        row.kind,
        row.at,
        row.surface,
        row.agentId,
        row.tool,
        row.decision,
        row.reasoning,
        row.context,
      );
    }
    connection.exec('commit');
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback');
    throw error;
  }
}
