import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Syncs, answers, runs and deliveries name the process that holds them; its lease shows whether it still runs. */
export const heldBy: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`insert into leases (name, holder, since, until)
      select 'sync:' || source, holder, coalesce(leased_at, 0), coalesce(leased_until, 0)
      from knowledge_source_states where holder is not null`.execute(db);
    for (const column of ['holder', 'leased_at', 'leased_until'])
      await db.schema.alterTable('knowledge_source_states').dropColumn(column).execute();
    await db.schema.alterTable('chats').dropColumn('leased_until').execute();
    await db.schema
      .alterTable('runs')
      .addColumn('holder', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema.alterTable('deliveries').renameColumn('lease_by', 'holder').execute();
    await db.schema.alterTable('deliveries').dropColumn('lease_no').execute();
    await db.schema
      .createIndex('deliveries_held')
      .on('deliveries')
      .column('target')
      .where(sql.ref('holder'), 'is not', null)
      .execute();
  },
};
