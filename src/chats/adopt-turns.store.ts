import { addMessages, lockDeletion } from '../runs/messages.store.ts';
import { shareAttachments } from './attachments/attachments.store.ts';
import { addEvents, type ChatParts } from './chat-answers.store.ts';
import { isAnswering } from './chat-rows.store.ts';
import type { AdoptedTurns } from './chat-store.ts';
import { addTexts, findableText } from './chat-words.store.ts';

/** Writes the turns that a new chat begins with, all in one transaction. */
export async function adoptTurns(parts: ChatParts, id: string, adopted: AdoptedTurns): Promise<void> {
  const { turns, from, attachments, outside } = adopted;
  const { database, clock, redact } = parts;
  await database.write(async (write) => {
    const { db } = write;
    if (attachments.length > 0) await lockDeletion({ db, dialect: database.dialect });
    // This statement locks the row, so that no answer can start.
    const row = await db
      .updateTable('chats')
      .set({ updated_at: clock.now() })
      .where('id', '=', id)
      .where('last_seq', '=', 0)
      .where('run_id', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!row) throw isAnswering(id);
    const events = turns.flatMap((turn) => turn.events);
    const times = events.map(({ at }) => at);
    await addEvents(parts, write, { id, after: 0, events: events.map(({ event }) => event), times });
    if (from !== null) await shareAttachments(db, { chatId: id, from, hashes: attachments });
    let known = 0;
    let parentId = '';
    for (const { runId, messageId, messages } of turns) {
      const place = { threadId: id, runId, messageId };
      const [question, answer] = [messages.slice(0, 1), messages.slice(1)];
      const added = [
        ...(await addMessages(db, redact, { ...place, parentId, known, messages: question })),
        ...(await addMessages(db, redact, { ...place, known: known + 1, messages: answer })),
      ];
      await addTexts({ db, dialect: database.dialect, chatId: id }, added.map(findableText));
      known += messages.length;
      parentId = messageId;
    }
    const changes = { last_seq: events.length, messages: known, outside: redact(JSON.stringify(outside)) };
    await db.updateTable('chats').set(changes).where('id', '=', id).execute();
    write.changed('chats');
  });
}
