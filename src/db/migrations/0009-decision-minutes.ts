import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The range of groups in the decision log that holds the entries of a minute, even if the clock was changed. */
export const decisionMinutes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('decision_minutes')
      .addColumn('minute', 'bigint', (column) => column.primaryKey().notNull())
      .addColumn('first_group', 'bigint', (column) => column.notNull())
      .addColumn('last_group', 'bigint', (column) => column.notNull())
      .execute();
    await sql`insert into decision_minutes (minute, first_group, last_group)
      select minute, min(seq), max(seq) from (
        select first_at / 60000 as minute, seq from decision_groups
        union all select last_at / 60000 as minute, seq from decision_groups
      ) as times group by minute`.execute(db);
  },
};
