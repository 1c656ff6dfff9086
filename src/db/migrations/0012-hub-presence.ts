import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Records when hubs could be called, with a row for each period in which a process ran without a break. `member_id` is set if only
 * that member can call the process. For the time before this migration, the rows come from the writers of the decision log.
 */
export const hubPresence: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('hub_presence')
      .addColumn('hub', 'text', (column) => column.notNull())
      .addColumn('member_id', 'text')
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('hub_presence_key', ['hub', 'started_at'])
      .execute();
    await sql`insert into hub_presence (hub, started_at, seen_at) select '', min(started_at), max(seen_at)
      from decision_chains having count(*) > 0`.execute(db);
  },
};
