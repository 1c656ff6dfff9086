import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Moves the messages of chats and runs into one table, where a run is a range of a conversation. This is its chat's conversation if the
 * chat has exactly the run's messages. Other runs (for example, of edited messages) get their own conversations; runs that shared
 * messages share one.
 */
export const conversations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('messages')
      .addColumn('thread_id', key, (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('run_id', key, (column) => column.notNull())
      .addColumn('message_id', key)
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('superseded_by', 'integer')
      .addColumn('message', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('messages_key', ['thread_id', 'ordinal'])
      .execute();
    await db.schema
      .alterTable('runs')
      .addColumn('thread_id', key, (column) => column.notNull().defaultTo(''))
      .execute();
    await moveChats(db);
    await moveRuns(db);
    for (const table of ['chat_messages', 'chat_texts', 'run_messages']) await db.schema.dropTable(table).execute();
    for (const index of ['runs_by_chat', 'runs_by_base']) await db.schema.dropIndex(index).execute();
    for (const column of ['chat_id', 'base_id', 'base_messages'])
      await db.schema.alterTable('runs').dropColumn(column).execute();
    await db.schema.createIndex('runs_by_thread').on('runs').column('thread_id').execute();
  },
};

/** `toMessageText` writes the role first. */
const role = sql`case when message like '{"role":"user"%' then 'user' when message like '{"role":"assistant"%' then 'assistant'
  else 'tool' end`;

/** The event after the one that sent a message names the run that answers it. */
async function moveChats(db: Kysely<unknown>): Promise<void> {
  const chats = await sql<{ chat_id: string }>`select distinct chat_id from chat_messages`.execute(db);
  let moved = 0n;
  for (const { chat_id } of chats.rows) {
    const answers = await sql<{ message_id: string; event: string | null }>`
      select distinct message_id, event from chat_messages left join chat_events
        on chat_events.chat_id = chat_messages.chat_id and chat_events.seq = chat_messages.seq + 1
      where chat_messages.chat_id = ${chat_id}`.execute(db);
    for (const { message_id, event } of answers.rows) {
      const { runId = '' } = JSON.parse(event ?? '{}');
      moved += await insert(
        db,
        sql`select chat_id, ordinal, ${runId}, message_id, ${role}, message from chat_messages
          where chat_id = ${chat_id} and message_id = ${message_id}`,
      );
    }
  }
  await compare(db, moved, sql`chat_messages`);
}

interface OldRun {
  id: string;
  chat_id: string | null;
  /** The run that this one shares its first messages with, and how many. */
  base_id: string | null;
  base_messages: number;
  messages: number;
}

const readable = sql`run_messages join runs on runs.id = run_id where run_messages.ordinal >= base_messages
  and run_messages.ordinal < runs.messages`;

async function moveRuns(db: Kysely<unknown>): Promise<void> {
  await sql`update runs set thread_id = id`.execute(db);
  const { rows } = await sql<OldRun>`select id, chat_id, base_id, base_messages, messages from runs
    where chat_id is not null or base_id is not null order by started_at, id`.execute(db);
  const runs = new Map(rows.map((run) => [run.id, run]));
  let moved = await findRanges(db, runs);
  moved += await insert(
    db,
    sql`select run_id, run_messages.ordinal, run_id, null, ${role}, message from ${readable} and base_id is null and thread_id = id`,
  );
  const roots = new Map<string, string>();
  for (const { id } of rows) {
    let root = id;
    for (let base: string | null | undefined = id; base; base = runs.get(root)?.base_id) root = roots.get(base) ?? base;
    roots.set(id, root);
  }
  const rest = await sql<{ id: string }>`select id from runs where thread_id = id and base_id is not null
    order by started_at, id`.execute(db);
  for (const [root, ids] of Map.groupBy(rest.rows, ({ id }) => roots.get(id) ?? id))
    moved += await moveTree(db, { root, runs, ids: ids.map(({ id }) => id) });
  await compare(db, moved, readable);
}

/** Finds the runs that are ranges of their chat. Returns how many messages these runs stored themselves. */
async function findRanges(db: Kysely<unknown>, runs: ReadonlyMap<string, OldRun>): Promise<bigint> {
  const counts = await sql<{ run_id: string; same: number }>`
    select run_id, count(*) as same from run_messages join runs on runs.id = run_id
      join chat_messages on chat_messages.chat_id = runs.chat_id and chat_messages.ordinal = run_messages.ordinal
    where run_messages.ordinal >= base_messages and run_messages.ordinal < runs.messages
      and chat_messages.message = run_messages.message group by run_id`.execute(db);
  const ends = await sql<{ run_id: string; messages: number }>`
    select run_id, max(ordinal) + 1 as messages from messages group by run_id`.execute(db);
  const same = new Map(counts.rows.map((row) => [row.run_id, Number(row.same)]));
  const end = new Map(ends.rows.map((row) => [row.run_id, row.messages]));
  /** The number of leading messages that are the same as in its chat. */
  const known = new Map<string, number>();
  const inChat = (id: string): number => {
    const run = runs.get(id);
    const found = known.get(id);
    if (found !== undefined || !run) return found ?? 0;
    const before = run.base_id === null ? run.base_messages : Math.min(run.base_messages, inChat(run.base_id));
    const isSame = before === run.base_messages && (same.get(id) ?? 0) === run.messages - run.base_messages;
    known.set(id, isSame ? run.messages : before);
    return isSame ? run.messages : before;
  };
  let moved = 0;
  for (const { id, chat_id, messages } of runs.values()) {
    if (messages === 0 || end.get(id) !== messages || inChat(id) !== messages) continue;
    await sql`update runs set thread_id = ${chat_id} where id = ${id}`.execute(db);
    moved += same.get(id) ?? 0;
  }
  return BigInt(moved);
}

interface Tree {
  root: string;
  runs: ReadonlyMap<string, OldRun>;
  /** The runs to move, in order. */
  ids: readonly string[];
}

/**
 * Appends runs that are based on one another to one conversation, one after the other. Returns how many messages were moved that
 * these runs stored themselves.
 */
async function moveTree(db: Kysely<unknown>, { root, runs, ids }: Tree): Promise<bigint> {
  const { rows } = await sql`select id from runs where id = ${root} and thread_id = id`.execute(db);
  // The messages of the first run are already there, unless it is a range of its chat.
  let current = rows.length === 0 ? [] : lineOf(runs, root).map((run, ordinal) => ({ run, ordinal }));
  let next = current.length;
  let moved = 0n;
  for (const id of ids) {
    await sql`update runs set thread_id = ${root} where id = ${id}`.execute(db);
    const line = lineOf(runs, id);
    const differs = line.findIndex((run, position) => current[position]?.run !== run);
    // The last message always belongs to the run itself and marks its range.
    const shared = differs === -1 ? Math.max(0, line.length - 1) : differs;
    // If clocks differ, a run based on this one may have come first and brought some of its messages along.
    moved += BigInt(line.slice(0, shared).filter((run) => run === id).length);
    const first = current[shared];
    if (first && line.length > 0)
      await sql`update messages set superseded_by = ${next}
        where thread_id = ${root} and ordinal >= ${first.ordinal} and superseded_by is null`.execute(db);
    for (let from = shared, to = from; from < line.length; from = to) {
      const keeper = line[from];
      while (line[to] === keeper) to += 1;
      const copied = await insert(
        db,
        sql`select ${root}, ordinal + ${next - shared}, ${id}, null, ${role}, message from run_messages
          where run_id = ${keeper} and ordinal >= ${from} and ordinal < ${to}`,
      );
      if (keeper === id) moved += copied;
    }
    const added = line.slice(shared).map((run, position) => ({ run, ordinal: next + position }));
    if (added.length > 0) current = [...current.slice(0, shared), ...added];
    next += added.length;
  }
  return moved;
}

/** Returns the run that stores the message, for each message of a conversation. */
function lineOf(runs: ReadonlyMap<string, OldRun>, id: string): string[] {
  let run = runs.get(id);
  let end = run?.messages ?? 0;
  const line: string[] = Array(end).fill('');
  while (run) {
    line.fill(run.id, Math.min(run.base_messages, end), end);
    end = Math.min(run.base_messages, end);
    run = runs.get(run.base_id ?? '');
  }
  return line;
}

async function insert(db: Kysely<unknown>, rows: RawBuilder<unknown>): Promise<bigint> {
  const statement = sql`insert into messages (thread_id, ordinal, run_id, message_id, role, message) ${rows}`;
  return (await statement.execute(db)).numAffectedRows ?? 0n;
}

/** Throws if not all messages were moved; the transaction is then rolled back and the database stays unchanged. */
async function compare(db: Kysely<unknown>, moved: bigint, from: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${from}`.execute(db);
  const count = BigInt(rows[0]?.count ?? 0);
  if (moved !== count) throw new Error(`${count} messages were to be moved, but ${moved} were.`);
}
