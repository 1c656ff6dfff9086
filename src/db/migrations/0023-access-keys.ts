import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Keys of clients and signed-in browsers. A database that already holds somebody's work counts as claimed: its next browser needs a
 * link. Member tokens that already exist count too: calls without one are still refused.
 */
export const accessKeys: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('access_keys')
      .ifNotExists()
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('agent_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint')
      .addColumn('expires_at', 'bigint')
      .execute();
    await db.schema
      .createTable('marks')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute();
    const work = sql`exists (select 1 from agents) or exists (select 1 from chats) or exists (select 1 from team_members)`;
    await sql`insert into marks (name, at) select 'claimed', 0 where ${work} on conflict do nothing`.execute(db);
    await sql`insert into marks (name, at)
      select 'member-token', 0 where exists (select 1 from team_members where token_hash is not null)
      on conflict do nothing`.execute(db);
  },
};
