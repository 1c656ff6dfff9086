import type { Selectable } from 'kysely';
import type { StoredDecision } from '../tools/decision-log.ts';
import type { DecisionRow } from './tables.ts';

export type StoredDecisionRow = Selectable<DecisionRow>;

export function toStoredDecision(row: StoredDecisionRow): StoredDecision {
  return {
    seq: row.seq,
    callId: row.call_id,
    // Written only by `append`, from this very type.
    kind: row.kind as StoredDecision['kind'],
    at: row.at,
    surface: row.surface,
    agentId: row.agent_id,
    persona: row.persona,
    taskId: row.task_id,
    tool: row.tool,
    decision: row.decision,
    reasoning: row.reasoning,
    context: row.context,
    chain: row.chain,
    chainNo: row.chain_no,
    hash: row.hash,
  };
}

/** PostgreSQL refuses a NUL. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
