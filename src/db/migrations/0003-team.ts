import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * No foreign keys to members: mail and finished work outlive them. Ids compare by bytes on both databases, so that both
 * page in the same order. Every list has an index that ends in (time, id), the content of a cursor.
 */
export const teamTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = keyType(db);
    await makeMembers(db, key);
    await makeMail(db, key);
    await makeWork(db, key);
    await makeOutbox(db, key);
  },
};

async function makeMembers(db: Kysely<unknown>, key: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('team_members')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('agent', 'text')
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('supervisor_id', 'text')
    .addColumn('current_epic_id', 'text')
    .addColumn('current_task_id', 'text')
    .addColumn('tmux_session_name', 'text')
    .addColumn('token_hash', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
}

/** The long body comes last, so that SQLite reads the other columns without loading it. */
async function makeMail(db: Kysely<unknown>, key: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('thread_id', key, (column) => column.notNull())
    .addColumn('in_reply_to', 'text')
    .addColumn('from_agent_id', 'text')
    .addColumn('from_agent_type', 'text', (column) => column.notNull())
    .addColumn('recipient', key, (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('read_at', 'bigint')
    .addColumn('escalation', 'text')
    .addColumn('escalation_count', 'integer', (column) => column.notNull())
    .addColumn('escalation_at', 'bigint')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('mails_by_recipient').on('mails').columns(['recipient', 'at', 'id']).execute();
  await db.schema
    .createIndex('mails_unread')
    .on('mails')
    .columns(['recipient', 'at', 'id'])
    .where(sql.ref('read_at'), 'is', null)
    .execute();
  await db.schema.createIndex('mails_by_thread').on('mails').columns(['thread_id', 'at', 'id']).execute();

  await db.schema
    .createTable('mailboxes')
    .addColumn('recipient', key, (column) => column.primaryKey().notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('unread', 'integer', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('mail_threads')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('participants', 'text', (column) => column.notNull())
    .addColumn('mails', 'integer', (column) => column.notNull())
    .addColumn('unread_for_human', 'integer', (column) => column.notNull())
    .addColumn('with_human', 'integer', (column) => column.notNull())
    .addColumn('has_escalation', 'integer', (column) => column.notNull())
    .addColumn('last_mail_id', 'text', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .execute();
  await threadIndex('mail_threads_all', ['last_at', 'id']);
  await threadIndex('mail_threads_with_human', ['with_human', 'last_at', 'id']);
  await threadIndex('mail_threads_escalated', ['has_escalation', 'last_at', 'id']);
  await threadIndex('mail_threads_escalated_with_human', ['with_human', 'has_escalation', 'last_at', 'id']);
  await db.schema
    .createIndex('mail_threads_unread')
    .on('mail_threads')
    .columns(['last_at', 'id'])
    .where(sql.ref('unread_for_human'), '>', sql.lit(0))
    .execute();
  await db.schema
    .createIndex('mail_threads_escalated_unread')
    .on('mail_threads')
    .columns(['has_escalation', 'last_at', 'id'])
    .where(sql.ref('unread_for_human'), '>', sql.lit(0))
    .execute();

  await db.schema
    .createTable('escalations')
    .addColumn('fault', key, (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('mail_id', key, (column) => column.notNull())
    .addPrimaryKeyConstraint('escalations_key', ['fault', 'at', 'mail_id'])
    .execute();
  await db.schema.createIndex('escalations_by_age').on('escalations').column('at').execute();

  async function threadIndex(name: string, columns: string[]): Promise<void> {
    await db.schema.createIndex(name).on('mail_threads').columns(columns).execute();
  }
}

async function makeWork(db: Kysely<unknown>, key: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('epics')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('linear_issue_id', 'text')
    .addColumn('linear_issue_url', 'text')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('completed_at', 'bigint')
    .addColumn('description', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('epics_by_change').on('epics').columns(['updated_at', 'id']).execute();
  await db.schema.createIndex('epics_by_state').on('epics').columns(['state', 'updated_at', 'id']).execute();

  await db.schema
    .createTable('tasks')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('state', key, (column) => column.notNull())
    .addColumn('epic_id', key)
    .addColumn('assignee_id', key)
    .addColumn('created_by', 'text')
    .addColumn('worktree_path', 'text')
    .addColumn('branch_name', 'text')
    .addColumn('pr_url', 'text')
    .addColumn('comments', 'integer', (column) => column.notNull())
    .addColumn('state_since', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('completed_at', 'bigint')
    .addColumn('description', 'text', (column) => column.notNull())
    .execute();
  for (const columns of [[], ['state'], ['epic_id'], ['epic_id', 'state']]) {
    await db.schema
      .createIndex(['tasks_by', ...columns, 'change'].join('_'))
      .on('tasks')
      .columns([...columns, 'updated_at', 'id'])
      .execute();
  }
  // Leaves out unassigned tasks: SQLite would use this index to find the next one, in the wrong order.
  for (const columns of [['assignee_id'], ['assignee_id', 'state']]) {
    await db.schema
      .createIndex(['tasks_by', ...columns, 'change'].join('_'))
      .on('tasks')
      .columns([...columns, 'updated_at', 'id'])
      .where(sql.ref('assignee_id'), 'is not', null)
      .execute();
  }
  // The state is always the same. It is included because SQLite prefers the index that matches the most columns.
  for (const columns of [['state'], ['epic_id', 'state']]) {
    await db.schema
      .createIndex(['tasks_pending', ...columns].join('_'))
      .on('tasks')
      .columns([...columns, 'created_at', 'id'])
      .where(sql.ref('state'), '=', sql.lit('PENDING'))
      .where(sql.ref('assignee_id'), 'is', null)
      .execute();
  }

  await db.schema
    .createTable('task_comments')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('task_id', key, (column) => column.notNull())
    .addColumn('author_id', 'text')
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('task_comments_by_task').on('task_comments').columns(['task_id', 'at', 'id']).execute();
}

async function makeOutbox(db: Kysely<unknown>, key: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('events_by_age').on('events').columns(['at', 'id']).execute();

  await db.schema
    .createTable('deliveries')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('event_id', key, (column) => column.notNull())
    .addColumn('target', key, (column) => column.notNull())
    .addColumn('state', key, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('delivered_at', 'bigint')
    .addColumn('last_error', 'text')
    .execute();
  await db.schema.createIndex('deliveries_by_age').on('deliveries').columns(['at', 'id']).execute();
  await db.schema.createIndex('deliveries_by_state').on('deliveries').columns(['state', 'at', 'id']).execute();
  await db.schema.createIndex('deliveries_by_event').on('deliveries').column('event_id').execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .columns(['target', 'next_attempt_at', 'id'])
    .where(sql.ref('state'), '=', sql.lit('pending'))
    .execute();

  await db.schema
    .createTable('idempotency_keys')
    .addColumn('owner', key, (column) => column.notNull())
    .addColumn('key', key, (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('input_hash', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addPrimaryKeyConstraint('idempotency_keys_key', ['owner', 'key'])
    .execute();
  await db.schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('at').execute();
}

function keyType(db: Kysely<unknown>): RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
}
