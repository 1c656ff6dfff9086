import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds members, tasks, and a chain of hashes for each writer to the log. Older rows stay in an unnamed chain without hashes.
 * Every index slows down each call, so there is only one for each filter, and it is partial if most rows lack the value. Call ids
 * have no index, which would cost more than all others together: they begin with the time of the call, by which they are found.
 */
export const decisionLog: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { key, withoutRowid, order } = typesOf(db);
    await db.schema.alterTable('decisions').renameColumn('agent_id', 'persona').execute();
    await db.schema.alterTable('decisions').addColumn('agent_id', key).execute();
    await db.schema.alterTable('decisions').addColumn('task_id', key).execute();
    await db.schema
      .alterTable('decisions')
      .addColumn('chain', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable('decisions')
      .addColumn('chain_no', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('decisions')
      .addColumn('hash', 'text', (column) => column.notNull().defaultTo(''))
      .execute();

    for (const [name, columns, condition] of [
      ['decisions_by_time', sql``, sql``],
      ['decisions_by_tool', sql`tool, `, sql``],
      ['decisions_by_member', sql`agent_id, `, sql`where agent_id is not null`],
      ['decisions_by_task', sql`task_id, `, sql`where task_id is not null`],
      ['decisions_by_kind', sql`kind, `, sql`where kind in ('error', 'manual')`],
      ['decisions_by_kind_and_member', sql`kind, agent_id, `, sql`where kind in ('error', 'manual')`],
      ['decisions_by_kind_and_tool', sql`kind, tool, `, sql`where kind in ('error', 'manual')`],
    ] as const) {
      await sql`create index ${sql.ref(name)} on decisions (${columns}${order}) ${condition}`.execute(db);
    }

    await db.schema
      .createTable('decision_chains')
      .addColumn('chain', key, (column) => column.primaryKey().notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('first_no', 'bigint', (column) => column.notNull())
      .addColumn('hash_before_first', 'text', (column) => column.notNull())
      .addColumn('last_no', 'bigint', (column) => column.notNull())
      .addColumn('last_hash', 'text', (column) => column.notNull())
      .addColumn('open_since', 'bigint')
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('closed_at', 'bigint')
      .addColumn('settled_at', 'bigint')
      .modifyEnd(withoutRowid)
      .execute();
    await db.schema
      .createIndex('decision_chains_unsettled')
      .on('decision_chains')
      .column('seen_at')
      .where(sql.ref('settled_at'), 'is', sql.lit(null))
      .execute();

    await db.schema
      .createTable('decision_counts')
      .addColumn('minute', 'bigint', (column) => column.notNull())
      .addColumn('tool', key, (column) => column.notNull())
      .addColumn('agent_id', key, (column) => column.notNull())
      .addColumn('chain', key, (column) => column.notNull())
      .addColumn('calls', 'integer', (column) => column.notNull())
      .addColumn('errors', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('decision_counts_key', ['minute', 'tool', 'agent_id', 'chain'])
      .modifyEnd(withoutRowid)
      .execute();
    await db.schema.createIndex('decision_counts_by_tool').on('decision_counts').column('tool').execute();
  },
};

/** In SQLite, every index ends with the row id anyway. */
function typesOf(db: Kysely<unknown>): Record<'key' | 'withoutRowid' | 'order', RawBuilder<unknown>> {
  return db.getExecutor().adapter instanceof SqliteAdapter
    ? { key: sql`text`, withoutRowid: sql`without rowid`, order: sql`at` }
    : { key: sql`text collate "C"`, withoutRowid: sql``, order: sql`at, seq` };
}
