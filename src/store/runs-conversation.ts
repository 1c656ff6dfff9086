import { type Kysely, sql } from 'kysely';
import type { Database, Write } from './database.ts';
import type { Tables } from './tables.ts';
import type { RunRow } from './tables-runs.ts';

export type RunBase = Pick<RunRow, 'chat_id' | 'base_id' | 'base_messages'>;

/**
 * Where a run begins whose conversation is `texts`. Each run of a chat begins with all that was said before: the run before it has
 * that, as far as it is the same to the letter (a message may have been edited since, or the agent be another one).
 */
export async function baseOf(
  { db, kind }: { db: Write['db']; kind: Database['kind'] },
  runId: string,
  texts: readonly string[],
): Promise<RunBase> {
  // The chat says whose answer it is before the run begins. Those that are answered are few, and have an index.
  const chat = await db
    .selectFrom('chats')
    .select('id')
    .where('run_id', '=', runId)
    .where('holder', 'is not', null)
    .executeTakeFirst();
  if (!chat) return { chat_id: null, base_id: null, base_messages: 0 };
  const newest = db
    .selectFrom('runs')
    .select('id')
    .where('chat_id', '=', chat.id)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1);
  // Nobody may delete it until this one is written; SQLite has one writer anyway.
  const base = await (kind === 'postgres' ? newest.forKeyShare() : newest).executeTakeFirst();
  const known = base ? await conversationOf(db, base.id) : [];
  const differs = texts.findIndex((text, index) => text !== known[index]);
  const same = differs === -1 ? texts.length : differs;
  return { chat_id: chat.id, base_id: base && same > 0 ? base.id : null, base_messages: same };
}

/** Its messages as they are kept, with those that other runs keep for it: the run it is based on, what that is based on, and so on. */
export async function conversationOf(db: Kysely<Tables>, runId: string): Promise<string[]> {
  // A cross join, so that SQLite begins with the runs.
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
  return rows.map(({ message }) => message);
}

/** Deletes a run; what others have of it goes to one of them. False when it was gone. */
export async function deleteRun(db: Write['db'], id: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('runs')
    .where('id', '=', id)
    .returning(['base_id', 'base_messages'])
    .executeTakeFirst();
  if (!gone) return false;
  const heir = await db
    .selectFrom('runs')
    .select(['id', 'base_messages'])
    .where('base_id', '=', id)
    .orderBy('base_messages', 'desc')
    .orderBy('id')
    .executeTakeFirst();
  if (heir) {
    await db
      .updateTable('run_messages')
      .set({ run_id: heir.id })
      .where('run_id', '=', id)
      .where('ordinal', '<', heir.base_messages)
      .execute();
    const low = Math.min(heir.base_messages, gone.base_messages);
    const base = { base_id: low > 0 ? gone.base_id : null, base_messages: low };
    await db.updateTable('runs').set(base).where('id', '=', heir.id).execute();
    // It has the longest part of what they share.
    await db.updateTable('runs').set({ base_id: heir.id }).where('base_id', '=', id).execute();
  }
  await db.deleteFrom('run_messages').where('run_id', '=', id).execute();
  return true;
}
