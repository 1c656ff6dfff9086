import { type Kysely, sql } from 'kysely';
import type { Database, Write } from '../db/database.ts';
import { cleanText } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import { type MessageRow, textsOf } from '../runs/messages.store.ts';
import type { Found } from './chat-store.ts';
import { snippetOf, wordsOf } from './search-words.ts';

interface Indexed {
  db: Write['db'];
  dialect: Database['dialect'];
  chatId: string;
}

/** The maximum length indexed per message. The rest cannot be found. */
const maxTextCharacters = 100_000;
/** The roles whose messages can be found. Tool results cannot. */
const findableRoles = ['user', 'assistant'];

/** Returns the messages that a search finds: those of all branches. */
export function findableMessages(db: Kysely<Tables>, chatId: string) {
  return db
    .selectFrom('messages')
    .select(['role', 'message'])
    .where('thread_id', '=', chatId)
    .where('message_id', 'is not', null)
    .where('role', 'in', findableRoles);
}

/** Returns the searchable text of a message. */
export function findableText({ role, message }: Pick<MessageRow, 'role' | 'message'>): string {
  if (!findableRoles.includes(role)) return '';
  return cleanText(textsOf(message).join('\n\n')).slice(0, maxTextCharacters).toWellFormed();
}

/** Indexes the words of these texts for a chat, in one statement. */
export async function addTexts(index: Indexed, texts: readonly string[]): Promise<void> {
  const words = new Set(texts.flatMap(wordsOf));
  if (words.size === 0) return;
  await sql`insert into chat_words (chat_id, word) select ${index.chatId}, value from ${index.dialect.textRows([...words])} as given where true
    on conflict do nothing`.execute(index.db);
}

/** Removes the words of texts from the index, except those that `kept` still contains. */
export async function removeTexts(
  { db, dialect, chatId }: Indexed,
  { gone, kept }: { gone: readonly string[]; kept: readonly string[] },
): Promise<void> {
  const words = new Set(gone.flatMap(wordsOf)).difference(new Set(kept.flatMap(wordsOf)));
  if (words.size === 0) return;
  await sql`delete from chat_words where chat_id = ${chatId} and word in (select value from ${dialect.textRows([...words])} as given)`.execute(
    db,
  );
}

/**
 * Matches chats with a word that begins with this prefix. Checked chat by chat, newest first, until the page is full: a join would
 * start with the words, and a short prefix matches too many.
 */
export function hasWord(word: string) {
  return sql<boolean>`(select 1 from chat_words where chat_id = chats.id and word >= ${word}
    and word < ${`${word}\u{10ffff}`} limit 1) is not null`;
}

/** Returns snippets by chat id, for chats whose title alone does not match. The active branch comes first. */
export async function snippetsOf(
  database: Database,
  chats: readonly { id: string; title: string }[],
  words: readonly string[],
): Promise<Map<string, Found>> {
  const snippets = new Map<string, Found>();
  if (words.length === 0) return snippets;
  for (const { id, title } of chats) {
    if (snippetOf(title, words) !== undefined) continue;
    for (const isOnOtherBranch of [false, true]) {
      const snippet = await newestSnippet(database, { chatId: id, words, isOnOtherBranch });
      if (snippet === undefined) continue;
      snippets.set(id, { snippet, isOnOtherBranch });
      break;
    }
  }
  return snippets;
}

const messagesAtOnce = 5;
/** The maximum value of an integer column. */
const maxOrdinal = 2 ** 31 - 1;

/** Reads a few messages at a time, because a long chat with large tool inputs can hold many megabytes. */
async function newestSnippet(
  database: Database,
  { chatId, words, isOnOtherBranch }: { chatId: string; words: readonly string[]; isOnOtherBranch: boolean },
): Promise<string | undefined> {
  const isThere = isOnOtherBranch ? sql`superseded_by is not null` : sql`superseded_by is null`;
  for (let before = maxOrdinal; ; ) {
    // Raw SQL, because it runs for each chat of a page, and building the query costs about as much as running it.
    const query = sql<Pick<MessageRow, 'ordinal' | 'role' | 'message'>>`select ordinal, role, message from messages
      where thread_id = ${chatId} and ordinal < ${before} and ${isThere} and message_id is not null
      and role in ('user', 'assistant') order by ordinal desc limit ${messagesAtOnce}`;
    const { rows: messages } = await database.read((db) => query.execute(db));
    for (const message of messages) {
      const snippet = snippetOf(findableText(message), words);
      if (snippet !== undefined) return snippet;
      before = message.ordinal;
    }
    if (messages.length < messagesAtOnce) return undefined;
  }
}
