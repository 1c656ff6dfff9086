import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';

/** Any number that no other lock of two numbers in this database begins with. */
const agentLocks = 4705;

/**
 * Returns the number for the rows of agents that a transaction changes, and keeps other writers of the same agent waiting until it
 * ends. On PostgreSQL it is the transaction's own number, because writers that share a counter wait for each other.
 */
export async function beginAgentChange(db: Kysely<Tables>, kind: Database['kind'], id: string): Promise<number> {
  const query =
    kind === 'sqlite'
      ? sql<{ number: number }>`select coalesce(max(change_number), 0) + 1 as number from agents`
      : sql<{
          number: number;
        }>`select pg_advisory_xact_lock(${sql.lit(agentLocks)}, hashtext(${id})), txid_current() as number`;
  const { rows } = await query.execute(db);
  return rows[0]?.number ?? 0;
}

export interface AgentPosition {
  /** Another one after a restore: everything may be different. */
  epoch: number;
  /** Every change with a smaller number is visible, or was given up. */
  since: number;
}

export async function readAgentPosition(db: Kysely<Tables>, kind: Database['kind']): Promise<AgentPosition> {
  const since =
    kind === 'sqlite'
      ? sql`(select coalesce(max(change_number), 0) + 1 from agents)`
      : sql`txid_snapshot_xmin(txid_current_snapshot())`;
  const { rows } = await sql<AgentPosition>`
    select coalesce((select value from revisions where key = 'epoch'), 0) as epoch, ${since} as since`.execute(db);
  return rows[0] ?? { epoch: 0, since: 0 };
}
