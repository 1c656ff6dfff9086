import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When hubs were there to be called. What writers of the decision log said of themselves tells of the time until now. */
export const hubPresence: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('hub_presence')
      .addColumn('started_at', 'bigint', (column) => column.primaryKey().notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute();
    await sql`insert into hub_presence (started_at, seen_at) select min(started_at), max(seen_at) from decision_chains
      having count(*) > 0`.execute(db);
  },
};
