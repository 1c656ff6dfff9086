import { SqliteAdapter, sql } from 'kysely';
import type { Write } from '../../../src/db/database.ts';

/**
 * Takes the tables back to the eighteenth version, in which chats and runs had messages of their own. The way to every older version
 * except the first leads through here, so undo each later migration at the top of this function: it runs again in these tests.
 */
export async function toEighteenthVersion(db: Write['db']): Promise<void> {
  for (const table of ['run_arguments', 'run_calls']) await sql`drop table ${sql.ref(table)}`.execute(db);
  for (const table of ['agents', 'agent_versions'])
    await sql`alter table ${sql.ref(table)} drop column tags`.execute(db);
  for (const table of [
    'inbox_dismissals',
    'mcp_clients',
    'server_switches',
    'settings',
    'attachments',
    'chat_attachments',
  ])
    await sql`drop table ${sql.ref(table)}`.execute(db);
  await sql`alter table messages drop column parent_id`.execute(db);
  for (const table of ['run_steps', 'run_prompts', 'model_usage']) await sql`drop table ${sql.ref(table)}`.execute(db);
  await sql`drop index runs_by_status`.execute(db);
  for (const index of ['tasks_next_state', 'tasks_next_epic_id_state'])
    await sql`drop index ${sql.ref(index)}`.execute(db);
  for (const column of ['priority', 'due_date', 'labels'])
    await sql`alter table tasks drop column ${sql.ref(column)}`.execute(db);
  await sql`drop table if exists recent_changes`.execute(db);
  if (!(db.getExecutor().adapter instanceof SqliteAdapter))
    await sql`drop trigger copy_to_recent_changes on unpublished_changes`.execute(db);
  for (const table of ['mcp_session_state', 'mcp_messages']) await sql`drop table ${sql.ref(table)}`.execute(db);
  for (const table of ['tool_definitions', 'tool_lists', 'server_replicas', 'pending_sign_ins'])
    await sql`drop table ${sql.ref(table)}`.execute(db);
  await sql`alter table server_lists drop column memory`.execute(db);
  await sql`delete from zoo_additions`.execute(db);
  for (const table of ['leases', 'hub_presence'])
    await sql`alter table ${sql.ref(table)} drop column version`.execute(db);
  for (const table of ['chat_grants', 'sync_requests']) await sql`drop table ${sql.ref(table)}`.execute(db);
  for (const column of ['sync_id', 'cancelled_id'])
    await sql`alter table knowledge_source_states drop column ${sql.ref(column)}`.execute(db);
  for (const index of ['chats_in_progress', 'runs_in_progress']) await sql`drop index ${sql.ref(index)}`.execute(db);
  await sql`alter table hub_presence drop column holder`.execute(db);
  for (const table of ['access_keys', 'marks', 'tool_grants']) await sql`drop table ${sql.ref(table)}`.execute(db);
  for (const table of ['chats', 'runs']) await sql`alter table ${sql.ref(table)} drop column outside`.execute(db);
  await sql`drop table decision_cuts`.execute(db);
  await sql`alter table decision_chains drop column start_proof`.execute(db);
  await sql`create table chat_messages (chat_id text not null, ordinal integer not null, message_id text not null, seq bigint not null,
    message text not null, primary key (chat_id, ordinal))`.execute(db);
  await sql`create table chat_texts (chat_id text not null, seq bigint not null, text text not null, primary key (chat_id, seq))`.execute(
    db,
  );
  await sql`create table run_messages (run_id text not null, ordinal integer not null, message text not null,
    primary key (run_id, ordinal))`.execute(db);
  for (const column of ['chat_id text', 'base_id text', 'base_messages integer not null default 0'])
    await sql`alter table runs add column ${sql.raw(column)}`.execute(db);
  for (const column of ['chat_id', 'base_id'])
    await sql`create index ${sql.raw(`runs_by_${column.slice(0, 4)}`)} on runs (${sql.ref(column)})`.execute(db);
  await sql`insert into chat_messages (chat_id, ordinal, message_id, seq, message)
    select thread_id, ordinal, message_id, 1, message from messages where message_id is not null`.execute(db);
  await sql`insert into run_messages (run_id, ordinal, message)
    select thread_id, ordinal, message from messages where message_id is null`.execute(db);
  await sql`drop table messages`.execute(db);
  await sql`drop index runs_by_thread`.execute(db);
  await sql`alter table runs drop column thread_id`.execute(db);
  await sql`delete from zoo_migrations where name > '0018-rows-to-groups'`.execute(db);
}

/** Returns a conversation as that version read it: the messages of the runs that a run is based on, then its own. */
export async function oldConversation(db: Write['db'], runId: string): Promise<unknown[]> {
  const { rows } = await sql<{ message: string }>`
    with recursive line (run_id, base_id, low, high) as (
      select id, base_id, base_messages, messages from runs where id = ${runId}
      union all
      select runs.id, runs.base_id, runs.base_messages, case when line.low < line.high then line.low else line.high end
      from line join runs on runs.id = line.base_id
    )
    select message from line cross join run_messages
    where run_messages.run_id = line.run_id and ordinal >= low and ordinal < high
    order by ordinal`.execute(db);
  return rows.map(({ message }) => JSON.parse(message));
}

export interface OldRun {
  id: string;
  base: string | null;
  shared: number;
  own: number;
}

/** Runs of three chats and some without a chat, based on each other in every way that occurs, and in some that hardly do. */
export function oldRuns(): OldRun[] {
  const line = (chat: string, turns: number): OldRun[] =>
    Array.from({ length: turns }, (_, turn) => ({
      id: `${chat}_${String(turn).padStart(3, '0')}`,
      base: turn === 0 ? null : `${chat}_${String(turn - 1).padStart(3, '0')}`,
      shared: turn * 2,
      own: 2,
    }));
  return [
    ...line('plain', 40),
    // The third message is sent again twice; the second time with the same text and without an answer yet.
    ...line('anew', 3),
    { id: 'anew_100', base: 'anew_002', shared: 2, own: 3 },
    { id: 'anew_101', base: 'anew_100', shared: 3, own: 0 },
    { id: 'anew_102', base: 'anew_101', shared: 3, own: 5 },
    // These runs share messages that a deleted run left to one of them, which started later than the others.
    { id: 'heir_003', base: null, shared: 0, own: 6 },
    { id: 'heir_001', base: 'heir_003', shared: 4, own: 2 },
    { id: 'heir_000', base: 'heir_003', shared: 3, own: 1 },
    { id: 'heir_002', base: 'heir_001', shared: 6, own: 4 },
    // The run that it was based on no longer exists.
    { id: 'lost', base: 'nowhere', shared: 3, own: 2 },
    { id: 'lost_next', base: 'lost', shared: 5, own: 1 },
    { id: 'alone', base: null, shared: 0, own: 3 },
    { id: 'silent', base: null, shared: 0, own: 0 },
  ];
}

export async function addOldRuns(db: Write['db'], runs: readonly OldRun[]): Promise<void> {
  const whole = new Map(runs.map(({ id, shared, own }) => [id, shared + own]));
  const order = runs.map(({ id }) => id).toSorted();
  for (const { id, base, shared, own } of runs) {
    const usage = '{"inputTokens":1,"outputTokens":1,"cachedInputTokens":0,"reasoningTokens":0}';
    await sql`insert into runs (id, model, status, started_at, heartbeat_at, ticks, usage, title, messages, calls, base_id, base_messages, chat_id)
      values (${id}, 'm', 'completed', ${order.indexOf(id)}, 1, 1, ${usage}, 't', ${whole.get(id)}, '[]', ${base}, ${shared}, 'chat')`.execute(
      db,
    );
    for (let ordinal = shared; ordinal < shared + own; ordinal += 1) {
      const role = ['user', 'assistant', 'tool'][ordinal % 3];
      const message = JSON.stringify({ role, content: [{ type: 'text', text: `${id} ${ordinal} \0 \ud800` }] });
      await sql`insert into run_messages (run_id, ordinal, message) values (${id}, ${ordinal}, ${message})`.execute(db);
    }
  }
}
