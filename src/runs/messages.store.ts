import type { Kysely } from 'kysely';
import type { Database, Write } from '../db/database.ts';
import { slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import type { Message } from '../engine/message.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { branchesOf, branchTo } from './branches.store.ts';
import { toMessageText } from './stored-message.ts';

const rowsAtOnce = 10;

interface AddedMessages {
  threadId: string;
  runId: string;
  messageId: string | null;
  /** The id of the user's message before it. */
  parentId?: string | undefined;
  /** The number of messages in the conversation so far. */
  known: number;
  messages: readonly Message[];
}

/** Appends messages to a conversation, without secrets. Returns the stored messages. */
export async function addMessages(
  db: Write['db'],
  redact: Redact,
  { threadId, runId, messageId, parentId, known, messages }: AddedMessages,
): Promise<MessageRow[]> {
  const rows = messages.map((message, index) => ({
    thread_id: threadId,
    ordinal: known + index,
    run_id: runId,
    message_id: messageId,
    role: message.role,
    parent_id: parentId ?? null,
    superseded_by: null,
    message: toMessageText(message, redact),
  }));
  for (const some of slices(rows, rowsAtOnce)) await db.insertInto('messages').values(some).execute();
  return rows;
}

/** Returns the messages on a chat's active branch, without those of the agent's prompt. */
export function currentMessages(db: Kysely<Tables>, chatId: string) {
  return db
    .selectFrom('messages')
    .where('thread_id', '=', chatId)
    .where('superseded_by', 'is', null)
    .where('message_id', 'is not', null);
}

/** Returns the id of the last message of the user on the active branch; empty if there is none. */
export async function activeLeaf(db: Kysely<Tables>, id: string): Promise<string> {
  const last = await currentMessages(db, id)
    .select('message_id')
    .orderBy('ordinal', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.message_id ?? '';
}

/** Returns the conversation of a run as it was when its last message was added, with the agent's prompt first. */
export async function messagesOfRun(
  db: Kysely<Tables>,
  run: { id: string; thread_id: string },
): Promise<Pick<MessageRow, 'message' | 'message_id' | 'run_id'>[]> {
  const last = await db
    .selectFrom('messages')
    .select(['ordinal', 'message_id'])
    .where('thread_id', '=', run.thread_id)
    .where('run_id', '=', run.id)
    .orderBy('ordinal', 'desc')
    .executeTakeFirst();
  if (!last) return [];
  const branch = last.message_id === null ? [] : branchTo(await branchesOf(db, run.thread_id), last.message_id);
  return db
    .selectFrom('messages')
    .select(['message', 'message_id', 'run_id'])
    .where('thread_id', '=', run.thread_id)
    .where('ordinal', '<=', last.ordinal)
    .where((each) =>
      each.or([
        ...(branch.length > 0 ? [each('message_id', 'in', branch)] : []),
        each.and([
          each('message_id', 'is', null),
          each.or([each('superseded_by', 'is', null), each('superseded_by', '>', last.ordinal)]),
        ]),
      ]),
    )
    .orderBy(({ eb }) => eb('message_id', 'is not', null))
    .orderBy('ordinal')
    .execute();
}

export interface Deletion {
  db: Write['db'];
  dialect: Database['dialect'];
}

/** The advisory lock's number. No other program may use it in this database. */
const deletionLock = 4_704_175_402;

/** Lets one transaction at a time delete chats and runs, so that the second of two sees when a conversation has lost its last reference. */
export async function lockDeletion({ db, dialect }: Deletion): Promise<void> {
  await dialect.lock(db, deletionLock);
}

/** Deletes conversations that belong to no chat and no run any more. Call `lockDeletion` first. */
export async function deleteUnused({ db }: Deletion, threadIds: readonly string[]): Promise<void> {
  if (threadIds.length === 0) return;
  await db
    .deleteFrom('messages')
    .where('thread_id', 'in', threadIds)
    .where('thread_id', 'not in', db.selectFrom('chats').select('id').where('id', 'in', threadIds))
    .where('thread_id', 'not in', db.selectFrom('runs').select('thread_id').where('thread_id', 'in', threadIds))
    .execute();
}

/** Returns the texts of a stored message. */
export function textsOf(message: string): string[] {
  // `addMessages` wrote it, from this type.
  const { content }: Message = JSON.parse(message);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

declare module '../db/tables.ts' {
  interface Tables {
    messages: MessageRow;
  }
}

/** A message to or from a model. Messages are only appended to their conversation. */
export interface MessageRow {
  /** The id of the chat, or of a run outside a chat. */
  thread_id: string;
  ordinal: number;
  run_id: string;
  /** The id of the user's message that it is or answers. Null outside chats, and for messages of the agent's prompt. */
  message_id: string | null;
  /** The id of the user's message before it; empty for the first. Null where `message_id` is, and in rows of older versions. */
  parent_id: string | null;
  role: string;
  /** The ordinal of the message that it was set aside for; null while it is on the active branch. */
  superseded_by: number | null;
  message: string;
}
