import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../db/tables.ts';
import { type Deletion, deleteUnused, lockDeletion } from '../runs/messages.store.ts';
import { deleteAttachments } from './attachments/attachments.store.ts';

const tables = ['chat_events', 'chat_approvals', 'chat_grants', 'chat_words'] as const;

/** Deletes a chat. Its messages stay as long as runs refer to them. Returns false if there is no such chat. */
export async function deleteChat(deletion: Deletion, id: string): Promise<boolean> {
  await lockDeletion(deletion);
  const result = await deletion.db.deleteFrom('chats').where('id', '=', id).executeTakeFirst();
  if (result.numDeletedRows > 0n) await deleteRest(deletion, [id]);
  return result.numDeletedRows > 0n;
}

interface Old {
  before: number;
  /** Processes that have ended, and with them their answers. */
  ended: readonly string[];
  except: readonly string[];
  limit: number;
}

/** Deletes a batch of chats, longest unused first. Returns their ids, and whether there may be more. */
export async function deleteOld(
  deletion: Deletion,
  { before, ended, except, limit }: Old,
): Promise<{ deletedIds: string[]; hasMore: boolean }> {
  const { db } = deletion;
  await lockDeletion(deletion);
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
  if (found.length === 0) return { deletedIds: [], hasMore: false };
  // Checked again once each row is locked: another process may have started an answer or deleted it.
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
  const deletedIds = rows.map(({ id }) => id);
  await deleteRest(deletion, deletedIds);
  return { deletedIds, hasMore: found.length === limit };
}

async function deleteRest(deletion: Deletion, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await deleteAttachments(deletion, ids);
  for (const table of tables) await deletion.db.deleteFrom(table).where('chat_id', 'in', ids).execute();
  await deleteUnused(deletion, ids);
}
