import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The priority, due date and labels of tasks. Members begin the most urgent task, so the indexes of pending tasks begin with it. */
export const taskPlans: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('tasks')
      // A position in `priorities`: 2 is normal.
      .addColumn('priority', 'integer', (column) => column.notNull().defaultTo(2))
      .execute();
    await db.schema.alterTable('tasks').addColumn('due_date', 'text').execute();
    await db.schema
      .alterTable('tasks')
      .addColumn('labels', 'text', (column) => column.notNull().defaultTo('[]'))
      .execute();
    for (const columns of [['state'], ['epic_id', 'state']]) {
      await db.schema
        .createIndex(['tasks_next', ...columns].join('_'))
        .on('tasks')
        .columns([...columns, 'priority', 'created_at', 'id'])
        .where(sql.ref('state'), '=', sql.lit('PENDING'))
        .where(sql.ref('assignee_id'), 'is', null)
        .execute();
    }
  },
};
