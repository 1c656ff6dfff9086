import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import { activateBranch, branchesOf, branchTo, newestAfter, pointOf } from '../runs/branches.store.ts';
import { activeLeaf } from '../runs/messages.store.ts';
import type { ChatEvent } from './chat.ts';
import { addEvents, type ChatParts } from './chat-answers.store.ts';
import { isAnswering, noChat } from './chat-rows.store.ts';

/** Makes the newest branch with a message the active one. Changes nothing if it already is. */
export async function chooseBranch(parts: ChatParts, id: string, messageId: string): Promise<ChatEvent[]> {
  return parts.database.write(async (write) => {
    const { db } = write;
    // The first statement locks the row, so that no answer starts meanwhile.
    const row = await db
      .updateTable('chats')
      .set((each) => ({ title: each.ref('title') }))
      .where('id', '=', id)
      .returning(['last_seq', 'messages', 'run_id'])
      .executeTakeFirst();
    if (!row) throw noChat(id);
    const points = await branchesOf(db, id);
    pointOf(points, messageId);
    const endId = newestAfter(points, messageId);
    if (endId === (await activeLeaf(db, id))) return [];
    if (row.run_id !== null) throw isAnswering(id);
    await activateBranch(db, { chatId: id, points, endId, next: row.messages });
    // An interrupted answer may be on the branch that was left.
    const change = { state: 'idle', last_seq: row.last_seq + 1 };
    await db.updateTable('chats').set(change).where('id', '=', id).execute();
    write.changed('chats');
    return addEvents(parts, write, {
      id,
      after: row.last_seq,
      events: [{ type: 'branch.chosen', messageId: endId }],
    });
  });
}

export async function branchIds(db: Kysely<Tables>, id: string, messageId: string): Promise<string[]> {
  const points = await branchesOf(db, id);
  return branchTo(points, pointOf(points, messageId).messageId);
}
