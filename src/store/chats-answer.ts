import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ChatEvent, ChatEventBody } from '../chats/chat-event.ts';
import type { AnswerEnd, AnswerProgress, AnswerStart } from '../chats/chat-store.ts';
import type { Message } from '../engine/message.ts';
import type { Usage } from '../engine/model.ts';
import { addUsage } from '../engine/usage.ts';
import type { Redact } from '../tools/redact.ts';
import { isAnswering, isTaken, noChat, toEvent, toEventText } from './chats-rows.ts';
import { addText, removeTexts } from './chats-words.ts';
import type { Database, Write } from './database.ts';
import { cleanText, slices } from './knowledge-rows.ts';
import type { Leases } from './leases.ts';
import { toMessageText } from './runs-message.ts';
import type { ChatRow } from './tables-chats.ts';

export interface ChatParts {
  database: Database;
  clock: Clock;
  redact: Redact;
  leases: Leases;
}

const rowsAtOnce = 50;
const messagesAtOnce = 10;

export async function beginAnswer(parts: ChatParts, id: string, start: AnswerStart): Promise<ChatEvent[]> {
  const { database, clock, redact, leases } = parts;
  const now = clock.now();
  const { messageId, text, runId, agentId, model, rewindTo } = start;
  return database.write(async (write) => {
    const { db } = write;
    const index = { db, kind: database.kind, chatId: id };
    // The first statement locks the row, so that nobody else begins.
    const row = await db
      .updateTable('chats')
      .set({ updated_at: now })
      .where('id', '=', id)
      .returning(['last_seq', 'messages', 'run_id', 'title'])
      .executeTakeFirst();
    if (!row) throw noChat(id);
    if (row.run_id !== null) throw isAnswering(id);
    if (row.last_seq !== start.lastSeq) throw isAnswering(id);
    let { messages } = row;
    if (rewindTo !== undefined) {
      const place = await messagePlace(write, id, rewindTo);
      await db.deleteFrom('chat_messages').where('chat_id', '=', id).where('ordinal', '>=', place.ordinal).execute();
      await removeTexts(index, { from: place.seq });
      messages = place.ordinal;
    }
    const events: ChatEventBody[] = [
      ...(rewindTo === undefined ? [] : [{ type: 'rewound' as const, messageId: rewindTo }]),
      { type: 'message.sent', messageId, text },
      { type: 'answer.started', runId, messageId, agentId, model },
    ];
    const shown = await addEvents(parts, write, { id, after: row.last_seq, events });
    const sentSeq = row.last_seq + events.length - 1;
    const question: Message = { role: 'user', content: [{ type: 'text', text }] };
    await addMessages(parts, write, { id, known: messages, messageId, seq: sentSeq, messages: [question] });
    await addText(index, sentSeq, redact(text));
    const title = row.title === '' ? redact(cleanText(start.title)) : row.title;
    if (title !== row.title) await addText(index, 0, title);
    await db
      .updateTable('chats')
      .set({
        title,
        state: 'answering',
        last_seq: row.last_seq + events.length,
        messages: messages + 1,
        run_id: runId,
        message_id: messageId,
        start_seq: sentSeq + 1,
        holder: leases.holder,
        stop_run_id: null,
      })
      .where('id', '=', id)
      .execute();
    await leases.enter(db);
    write.changed('chats');
    return shown;
  });
}

export function appendAnswer(parts: ChatParts, id: string, progress: AnswerProgress): Promise<ChatEvent[]> {
  return parts.database.write((write) => addProgress(parts, write, id, progress), { isDurable: false });
}

export async function finishAnswer(parts: ChatParts, id: string, end: AnswerEnd): Promise<ChatEvent[]> {
  const { database, clock, redact } = parts;
  return database.write(async (write) => {
    const { db } = write;
    const shown = await addProgress(parts, write, id, end);
    const { last_seq, usage, cost } = await db
      .selectFrom('chats')
      .select(['last_seq', 'usage', 'cost'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    // Written only here, from this very type.
    const before: Usage = JSON.parse(usage);
    const freed: Partial<ChatRow> = {
      state: end.state,
      usage: JSON.stringify(addUsage(before, end.usage)),
      cost: cost === null || end.cost === null ? null : cost + end.cost,
      updated_at: clock.now(),
      run_id: null,
      message_id: null,
      start_seq: null,
      holder: null,
      stop_run_id: null,
    };
    await db.updateTable('chats').set(freed).where('id', '=', id).execute();
    await db.deleteFrom('chat_approvals').where('chat_id', '=', id).execute();
    await addText({ db, kind: database.kind, chatId: id }, last_seq, redact(end.text));
    write.changed('chats');
    return shown;
  });
}

async function addProgress(
  parts: ChatParts,
  write: Write,
  id: string,
  { runId, events, messages }: AnswerProgress,
): Promise<ChatEvent[]> {
  const { db } = write;
  const state = stateAfter(events);
  const row = await db
    .updateTable('chats')
    .set((row) => ({
      last_seq: row('last_seq', '+', events.length),
      messages: row('messages', '+', messages.length),
      ...(state && { state }),
    }))
    .where('id', '=', id)
    .where('run_id', '=', runId)
    .returning(['last_seq', 'messages', 'message_id', 'start_seq'])
    .executeTakeFirst();
  if (!row) throw isTaken(id, runId);
  const shown = await addEvents(parts, write, { id, after: row.last_seq - events.length, events });
  await addMessages(parts, write, {
    id,
    known: row.messages - messages.length,
    messageId: row.message_id ?? '',
    seq: (row.start_seq ?? 1) - 1,
    messages,
  });
  for (const event of shown) {
    if (event.type !== 'approval.needed') continue;
    const question = { chat_id: id, run_id: runId, seq: event.seq, tool_use_id: event.id, answer: null };
    await db.insertInto('chat_approvals').values(question).execute();
  }
  if (state) write.changed('chats');
  return shown;
}

/** Undefined where nothing of it changes. */
function stateAfter(events: readonly ChatEventBody[]): 'waiting' | 'answering' | undefined {
  const last = events.findLast(({ type }) => type === 'approval.needed' || type === 'approval.given');
  return last && (last.type === 'approval.needed' ? 'waiting' : 'answering');
}

export async function addEvents(
  { clock, redact }: Pick<ChatParts, 'clock' | 'redact'>,
  { db }: Write,
  { id, after, events }: { id: string; after: number; events: readonly ChatEventBody[] },
): Promise<ChatEvent[]> {
  const at = clock.now();
  const rows = events.map((event, index) => ({
    chat_id: id,
    seq: after + index + 1,
    at,
    event: toEventText(event, redact),
  }));
  for (const some of slices(rows, rowsAtOnce)) await db.insertInto('chat_events').values(some).execute();
  // What is shown is what is kept.
  return rows.map(toEvent);
}

async function addMessages(
  { redact }: Pick<ChatParts, 'redact'>,
  { db }: Write,
  added: { id: string; known: number; messageId: string; seq: number; messages: readonly Message[] },
): Promise<void> {
  let ordinal = added.known;
  for (const some of slices(added.messages, messagesAtOnce)) {
    const rows = some.map((message) => {
      const text = toMessageText(message, redact);
      const row = { chat_id: added.id, ordinal, message_id: added.messageId, seq: added.seq, message: text };
      ordinal += 1;
      return row;
    });
    await db.insertInto('chat_messages').values(rows).execute();
  }
}

async function messagePlace({ db }: Write, id: string, messageId: string): Promise<{ ordinal: number; seq: number }> {
  const place = await db
    .selectFrom('chat_messages')
    .select(['ordinal', 'seq'])
    .where('chat_id', '=', id)
    .where('message_id', '=', messageId)
    .orderBy('ordinal')
    .executeTakeFirst();
  if (place) return place;
  const message = `There is no message "${messageId.slice(0, 80)}" in this chat that could be replaced.`;
  throw new HubError('NOT_FOUND', message);
}
