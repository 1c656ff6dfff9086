import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';

/** Any number that no other lock of two numbers in this database begins with. */
const agentLocks = 4705;

/**
 * Returns the number for the rows of agents that a transaction changes, and keeps other writers of the same agent waiting until it
 * ends.
 */
export async function beginAgentChange(db: Kysely<Tables>, dialect: SqlDialect, id: string): Promise<number> {
  await dialect.lock(db, agentLocks, id);
  const number = dialect.nextChange('agents', 'change_number');
  const { rows } = await sql<{ number: number }>`select ${number} as number`.execute(db);
  return rows[0]?.number ?? 0;
}

export interface AgentPosition {
  /** Another one after a restore: everything may be different. */
  epoch: number;
  /** Every change with a smaller number is visible, or was given up. */
  since: number;
}

export async function readAgentPosition(db: Kysely<Tables>, dialect: SqlDialect): Promise<AgentPosition> {
  const since = dialect.settledChange('agents', 'change_number');
  const { rows } = await sql<AgentPosition>`
    select coalesce((select value from revisions where key = 'epoch'), 0) as epoch, ${since} as since`.execute(db);
  return rows[0] ?? { epoch: 0, since: 0 };
}
