import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';

/** The first number of this lock's key. No other lock in the database uses it. */
const agentLocks = 4705;

/**
 * Returns the change number for the agent rows that this transaction writes. Other writers of the same agent wait until it ends.
 */
export function beginAgentChange(db: Kysely<Tables>, dialect: SqlDialect, id: string): Promise<number> {
  return dialect.beginChange(db, { table: 'agents', column: 'change_number', lock: agentLocks, key: id });
}

export interface AgentPosition {
  /** Changes after a restored backup, when everything may be different. */
  epoch: number;
  /** Every change with a smaller number is committed or rolled back. */
  since: number;
}

export async function readAgentPosition(db: Kysely<Tables>, dialect: SqlDialect): Promise<AgentPosition> {
  const since = dialect.settledChange('agents', 'change_number');
  const { rows } = await sql<AgentPosition>`
    select coalesce((select value from revisions where key = 'epoch'), 0) as epoch, ${since} as since`.execute(db);
  return rows[0] ?? { epoch: 0, since: 0 };
}
