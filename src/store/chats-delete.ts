import type { ExpressionBuilder } from 'kysely';
import type { Write } from './database.ts';
import type { Tables } from './tables.ts';

const tables = ['chat_events', 'chat_messages', 'chat_approvals', 'chat_texts', 'chat_words'] as const;

/** False when there was none. */
export async function deleteChat(db: Write['db'], id: string): Promise<boolean> {
  const gone = await db.deleteFrom('chats').where('id', '=', id).executeTakeFirst();
  if (gone.numDeletedRows > 0n) await deleteRest(db, [id]);
  return gone.numDeletedRows > 0n;
}

interface Old {
  before: number;
  /** Processes that are gone, and with them their answers. */
  ended: readonly string[];
  except: readonly string[];
  limit: number;
}

/** Some of them, the longest unused first: the ids of those that were deleted, and whether there may be more. */
export async function deleteOld(
  db: Write['db'],
  { before, ended, except, limit }: Old,
): Promise<{ gone: string[]; hasMore: boolean }> {
  const isOld = (each: ExpressionBuilder<Tables, 'chats'>) =>
    each.and([
      each('updated_at', '<', before),
      each.or([each('run_id', 'is', null), ...(ended.length > 0 ? [each('holder', 'in', ended)] : [])]),
      ...(except.length > 0 ? [each('id', 'not in', except)] : []),
    ]);
  const found = await db
    .selectFrom('chats')
    .select('id')
    .where(isOld)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  if (found.length === 0) return { gone: [], hasMore: false };
  // Asked again of each row when it is locked: another process may have begun an answer meanwhile, or deleted it.
  const rows = await db
    .deleteFrom('chats')
    .where(
      'id',
      'in',
      found.map(({ id }) => id),
    )
    .where(isOld)
    .returning('id')
    .execute();
  const gone = rows.map(({ id }) => id);
  await deleteRest(db, gone);
  return { gone, hasMore: found.length === limit };
}

async function deleteRest(db: Write['db'], ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const table of tables) await db.deleteFrom(table).where('chat_id', 'in', ids).execute();
}
