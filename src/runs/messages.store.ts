import type { Kysely } from 'kysely';
import type { Database, Write } from '../db/database.ts';
import { slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import type { Message } from '../engine/message.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { toMessageText } from './stored-message.ts';

const rowsAtOnce = 10;

interface AddedMessages {
  threadId: string;
  runId: string;
  messageId: string | null;
  /** How many the conversation has already. */
  known: number;
  messages: readonly Message[];
}

/** Adds to the end of a conversation, without secrets. Returns what was kept. */
export async function addMessages(
  db: Write['db'],
  redact: Redact,
  { threadId, runId, messageId, known, messages }: AddedMessages,
): Promise<MessageRow[]> {
  const rows = messages.map((message, index) => ({
    thread_id: threadId,
    ordinal: known + index,
    run_id: runId,
    message_id: messageId,
    role: message.role,
    superseded_by: null,
    message: toMessageText(message, redact),
  }));
  for (const some of slices(rows, rowsAtOnce)) await db.insertInto('messages').values(some).execute();
  return rows;
}

/** The messages of a chat that count, without those of the agent's own prompt. */
export function currentMessages(db: Kysely<Tables>, chatId: string) {
  return db
    .selectFrom('messages')
    .where('thread_id', '=', chatId)
    .where('superseded_by', 'is', null)
    .where('message_id', 'is not', null);
}

/** The conversation of a run: what counted when its last message was said, the agent's own prompt first. */
export async function messagesOfRun(
  db: Kysely<Tables>,
  run: { id: string; thread_id: string },
): Promise<Pick<MessageRow, 'message'>[]> {
  const { last } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('ordinal').as('last'))
    .where('thread_id', '=', run.thread_id)
    .where('run_id', '=', run.id)
    .executeTakeFirstOrThrow();
  // Null, whatever the type says, when nothing was said.
  if (last === null) return [];
  return db
    .selectFrom('messages')
    .select('message')
    .where('thread_id', '=', run.thread_id)
    .where('ordinal', '<=', last)
    .where((each) => each.or([each('superseded_by', 'is', null), each('superseded_by', '>', last)]))
    .orderBy(({ eb }) => eb('message_id', 'is not', null))
    .orderBy('ordinal')
    .execute();
}

export interface Deletion {
  db: Write['db'];
  dialect: Database['dialect'];
}

/** Any number that no other program of this database uses for its advisory locks. */
const deletionLock = 4_704_175_402;

/** Lets one at a time delete chats and runs: of two who delete the last of a conversation, the second must see it. */
export async function lockDeletion({ db, dialect }: Deletion): Promise<void> {
  await dialect.lock(db, deletionLock);
}

/** After `lockDeletion`: deletes those of the conversations that belong to no chat and no run any more. */
export async function deleteUnused({ db }: Deletion, threadIds: readonly string[]): Promise<void> {
  if (threadIds.length === 0) return;
  await db
    .deleteFrom('messages')
    .where('thread_id', 'in', threadIds)
    .where('thread_id', 'not in', db.selectFrom('chats').select('id').where('id', 'in', threadIds))
    .where('thread_id', 'not in', db.selectFrom('runs').select('thread_id').where('thread_id', 'in', threadIds))
    .execute();
}

/** The texts of a message as it is kept. */
export function textsOf(message: string): string[] {
  // Written by `addMessages`, from this very type.
  const { content }: Message = JSON.parse(message);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

declare module '../db/tables.ts' {
  interface Tables {
    messages: MessageRow;
  }
}

/** What a model was told and said. Messages are only ever added to the end of their conversation. */
export interface MessageRow {
  /** The chat, or the run outside of a chat. */
  thread_id: string;
  ordinal: number;
  run_id: string;
  /** The person's message that it is, or that it answers. Null outside of chats, and for messages of the agent's own prompt. */
  message_id: string | null;
  role: string;
  /** The ordinal of the message that was sent instead; null while it counts. */
  superseded_by: number | null;
  message: string;
}
