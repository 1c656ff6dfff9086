import type { Clock } from '../base/clock.ts';
import type { Database, Write } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import { cleanText, slices } from '../db/rows.ts';
import type { Message } from '../engine/message.ts';
import type { Usage } from '../engine/model.ts';
import { addUsage } from '../engine/usage.ts';
import { activateBranch, branchesOf, pointOf } from '../runs/branches.store.ts';
import { activeLeaf, addMessages, lockDeletion } from '../runs/messages.store.ts';
import { OutsideSources } from '../tools/outside-text.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { linkTo } from './attachments/attachment-blocks.ts';
import { addAttachments } from './attachments/attachments.store.ts';
import type { ChatEvent, ChatEventBody } from './chat.ts';
import { answerEnded, type ChatRow, isAnswering, noChat, toEvent, toEventText } from './chat-rows.store.ts';
import type { AnswerEnd, AnswerProgress, AnswerStart } from './chat-store.ts';
import { addTexts, findableText } from './chat-words.store.ts';

export interface ChatParts {
  database: Database;
  clock: Clock;
  redact: Redact;
  leases: Leases;
}

const rowsAtOnce = 50;

export async function beginAnswer(parts: ChatParts, id: string, start: AnswerStart): Promise<ChatEvent[]> {
  const { database, clock, redact, leases } = parts;
  const now = clock.now();
  const { messageId, text, attachments: files = [], context = [], runId, agentId, model, prompt, outside = [] } = start;
  const attachments = files.map(({ hash, name, mimeType, bytes }) => ({ hash, name, mimeType, bytes }));
  return database.write(async (write) => {
    const { db } = write;
    if (files.length > 0) await lockDeletion({ db, dialect: database.dialect });
    // Locks the row, so that no other answer can start.
    const row = await db
      .updateTable('chats')
      .set({ updated_at: now })
      .where('id', '=', id)
      .returning(['last_seq', 'messages', 'run_id', 'title', 'outside'])
      .executeTakeFirst();
    if (!row) throw noChat(id);
    if (row.run_id !== null) throw isAnswering(id);
    if (row.last_seq !== start.lastSeq) throw isAnswering(id);
    const title = row.title === '' ? redact(cleanText(start.title)) : row.title;
    const known = row.messages + (prompt?.length ?? 0);
    const { parentId, events: moves } = await placeMessage(db, { id, start, next: known });
    if (prompt) {
      await db
        .updateTable('messages')
        .set({ superseded_by: known })
        .where('thread_id', '=', id)
        .where('superseded_by', 'is', null)
        .where('message_id', 'is', null)
        .execute();
      await addMessages(db, redact, { threadId: id, runId, messageId: null, known: row.messages, messages: prompt });
    }
    const events: ChatEventBody[] = [
      ...moves,
      { type: 'message.sent', messageId, text, ...(files.length > 0 && { attachments }) },
      { type: 'answer.started', runId, messageId, agentId, model },
    ];
    const shown = await addEvents(parts, write, { id, after: row.last_seq, events });
    const question: Message = {
      role: 'user',
      content: [...context, ...attachments.map(linkTo), { type: 'text', text }],
    };
    await addAttachments(db, { chatId: id, files, at: now, redact });
    const addition = { threadId: id, runId, messageId, parentId, known, messages: [question] };
    const texts = (await addMessages(db, redact, addition)).map(findableText);
    await addTexts({ db, dialect: database.dialect, chatId: id }, title === row.title ? texts : [title, ...texts]);
    const lastSeq = row.last_seq + events.length;
    await db
      .updateTable('chats')
      .set({
        title,
        outside: withSources(row.outside, outside, redact),
        state: 'answering',
        last_seq: lastSeq,
        messages: known + 1,
        run_id: runId,
        message_id: messageId,
        start_seq: lastSeq,
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

interface Placing {
  id: string;
  start: Pick<AnswerStart, 'after' | 'rewindTo'>;
  /** The ordinal of the new message. */
  next: number;
}

/** Finds the message that a new one follows, and makes its branch the active one. */
async function placeMessage(
  db: Write['db'],
  { id, start: { after, rewindTo }, next }: Placing,
): Promise<{ parentId: string; events: ChatEventBody[] }> {
  const leafId = await activeLeaf(db, id);
  if (rewindTo === undefined && (after === undefined || after === leafId)) return { parentId: leafId, events: [] };
  const points = await branchesOf(db, id);
  const replaced = rewindTo === undefined ? undefined : pointOf(points, rewindTo);
  const parentId = replaced ? replaced.parentId : (after ?? leafId);
  if (parentId !== '') pointOf(points, parentId);
  await activateBranch(db, { chatId: id, points, endId: parentId, next });
  if (replaced?.isActive) return { parentId, events: [{ type: 'rewound', messageId: replaced.messageId }] };
  return { parentId, events: [{ type: 'branch.chosen', messageId: parentId === '' ? null : parentId }] };
}

export function appendAnswer(parts: ChatParts, id: string, progress: AnswerProgress): Promise<ChatEvent[]> {
  return parts.database.write((write) => addProgress(parts, write, id, progress), { isDurable: false });
}

export async function finishAnswer(parts: ChatParts, id: string, end: AnswerEnd): Promise<ChatEvent[]> {
  const { database, clock } = parts;
  return database.write(async (write) => {
    const { db } = write;
    const shown = await addProgress(parts, write, id, end);
    const { usage, cost } = await db
      .selectFrom('chats')
      .select(['usage', 'cost'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    // Only this file writes it, from this type.
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
  const { database, redact } = parts;
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
    .returning(['last_seq', 'messages', 'message_id', 'outside'])
    .executeTakeFirst();
  if (!row) throw answerEnded(id, runId);
  const sources = events.flatMap((event) => (event.type === 'outside.read' ? [event.source] : []));
  const outside = withSources(row.outside, sources, redact);
  if (outside !== row.outside) await db.updateTable('chats').set({ outside }).where('id', '=', id).execute();
  const shown = await addEvents(parts, write, { id, after: row.last_seq - events.length, events });
  const known = row.messages - messages.length;
  const added = await addMessages(db, redact, { threadId: id, runId, messageId: row.message_id, known, messages });
  await addTexts({ db, dialect: database.dialect, chatId: id }, added.map(findableText));
  for (const event of shown) {
    if (event.type !== 'approval.needed') continue;
    const question = { chat_id: id, run_id: runId, seq: event.seq, tool_use_id: event.id, answer: null };
    await db.insertInto('chat_approvals').values(question).execute();
  }
  if (state) write.changed('chats');
  return shown;
}

/** Adds sources of text from outside to a stored list. */
function withSources(stored: string, added: readonly string[], redact: Redact): string {
  if (added.length === 0) return stored;
  const known = new OutsideSources([...JSON.parse(stored), ...JSON.parse(redact(JSON.stringify(added)))]);
  return JSON.stringify(known.sources);
}

/** Returns undefined if nothing changes. */
function stateAfter(events: readonly ChatEventBody[]): 'waiting' | 'answering' | undefined {
  const last = events.findLast(({ type }) => type === 'approval.needed' || type === 'approval.given');
  return last && (last.type === 'approval.needed' ? 'waiting' : 'answering');
}

interface NewEvents {
  id: string;
  after: number;
  events: readonly ChatEventBody[];
  /** When they happened; now by default. */
  times?: readonly (number | undefined)[];
}

export async function addEvents(
  { clock, redact }: Pick<ChatParts, 'clock' | 'redact'>,
  { db }: Write,
  { id, after, events, times = [] }: NewEvents,
): Promise<ChatEvent[]> {
  const now = clock.now();
  const rows = events.map((event, index) => ({
    chat_id: id,
    seq: after + index + 1,
    at: times[index] ?? now,
    event: toEventText(event, redact),
  }));
  for (const some of slices(rows, rowsAtOnce)) await db.insertInto('chat_events').values(some).execute();
  // Returns what was stored.
  return rows.map(toEvent);
}
