import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** External servers and their accepted tools, encrypted secrets, and runs of the engine. */
export const serversAndRuns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await makeVault(db, key);
    await makeServers(db, key);
    await makeRuns(db, key);
  },
};

async function makeVault(db: Kysely<unknown>, key: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('vault_keys')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('check_value', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('vault_secrets')
    .addColumn('name', key, (column) => column.primaryKey().notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .execute();
}

/**
 * The tables about tools have no foreign key, because servers may also be defined in the config. A tool's name is in no index,
 * because external servers choose it and PostgreSQL cannot index a long one.
 */
async function makeServers(db: Kysely<unknown>, key: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('servers')
    .addColumn('name', key, (column) => column.primaryKey().notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('server_lists')
    .addColumn('server', key, (column) => column.primaryKey().notNull())
    .addColumn('listed_at', 'bigint', (column) => column.notNull())
    .execute();
  for (const [table, time] of [
    ['tool_pins', 'accepted_at'],
    ['held_tools', 'seen_at'],
  ] as const) {
    await db.schema
      .createTable(table)
      .addColumn('server', key, (column) => column.notNull())
      .addColumn('tool', key, (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn(time, 'bigint', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex(`${table}_by_server`).on(table).column('server').execute();
  }
  await db.schema
    .createTable('tool_settings')
    .addColumn('server', key, (column) => column.notNull())
    .addColumn('tool', key, (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('tool_settings_by_server').on('tool_settings').column('server').execute();
}

async function makeRuns(db: Kysely<unknown>, key: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('runs')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('agent_id', key)
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('error', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('heartbeat_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('ticks', 'integer', (column) => column.notNull())
    .addColumn('usage', 'text', (column) => column.notNull())
    .addColumn('cost', 'double precision')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('messages', 'integer', (column) => column.notNull())
    .addColumn('calls', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('runs_by_start').on('runs').columns(['started_at', 'id']).execute();
  await db.schema
    .createIndex('runs_by_agent')
    .on('runs')
    .columns(['agent_id', 'started_at', 'id'])
    .where(sql.ref('agent_id'), 'is not', null)
    .execute();

  await db.schema
    .createTable('run_messages')
    .addColumn('run_id', key, (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_messages_key', ['run_id', 'ordinal'])
    .execute();
}
