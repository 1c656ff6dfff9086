import type { Kysely } from 'kysely';
import type { Tables } from '../../../src/db/tables.ts';
import { expand } from '../../../src/decisions/decision-groups.store.ts';
import type { DecisionEntry, StoredDecision } from '../../../src/tools/decision-log.ts';

export function decision(callId: string, fields: Partial<DecisionEntry> = {}): DecisionEntry {
  return {
    callId,
    kind: 'invocation',
    at: 1_794_000_000_000,
    surface: 'http',
    agentId: null,
    persona: null,
    taskId: null,
    tool: 'agent_zoo_inject',
    decision: 'Invoked tool: agent_zoo_inject',
    reasoning: 'Automatic tool invocation log',
    context: '{}',
    ...fields,
  };
}

/** Returns every entry in the log's tables, in the order of writing. */
export async function readDecisions(db: Kysely<Tables>): Promise<StoredDecision[]> {
  const groups = await db.selectFrom('decision_groups').selectAll().orderBy('seq').execute();
  return groups.flatMap((group) => expand(group));
}
