import { type Kysely, sql } from 'kysely';
import type { Database, Write } from '../db/database.ts';
import { cleanText } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import { currentMessages, type MessageRow, textsOf } from '../runs/messages.store.ts';
import { snippetOf, wordsOf } from './search-words.ts';

interface Indexed {
  db: Write['db'];
  dialect: Database['dialect'];
  chatId: string;
}

/** Of one message: more of it is not found. */
const maxTextCharacters = 100_000;
/** Who says what can be found; what tools answered cannot. */
const findableRoles = ['user', 'assistant'];

export function findableMessages(db: Kysely<Tables>, chatId: string) {
  return currentMessages(db, chatId).select(['role', 'message']).where('role', 'in', findableRoles);
}

/** What can be found of a message. */
export function findableText({ role, message }: Pick<MessageRow, 'role' | 'message'>): string {
  if (!findableRoles.includes(role)) return '';
  return cleanText(textsOf(message).join('\n\n')).slice(0, maxTextCharacters).toWellFormed();
}

/** Makes a chat findable by the words of these texts. All in one statement, however many there are. */
export async function addTexts(index: Indexed, texts: readonly string[]): Promise<void> {
  const words = new Set(texts.flatMap(wordsOf));
  if (words.size === 0) return;
  await sql`insert into chat_words (chat_id, word) select ${index.chatId}, value from ${index.dialect.textRows([...words])} as given where true
    on conflict do nothing`.execute(index.db);
}

/** Takes out the words of texts that go; those of `kept` stay. */
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
 * Some word of the chat begins with it. Asked of one chat after the other, newest first, until the page is full: a join would begin
 * with the words, which are many for a short beginning.
 */
export function hasWord(word: string) {
  return sql<boolean>`(select 1 from chat_words where chat_id = chats.id and word >= ${word}
    and word < ${`${word}\u{10ffff}`} limit 1) is not null`;
}

/** By the chat's id, where the words are not in the title alone. */
export async function snippetsOf(
  database: Database,
  chats: readonly { id: string; title: string }[],
  words: readonly string[],
): Promise<Map<string, string>> {
  const snippets = new Map<string, string>();
  if (words.length === 0) return snippets;
  for (const { id, title } of chats) {
    if (snippetOf(title, words) !== undefined) continue;
    const snippet = await newestSnippet(database, id, words);
    if (snippet !== undefined) snippets.set(id, snippet);
  }
  return snippets;
}

const messagesAtOnce = 5;
/** Of an integer column. */
const maxOrdinal = 2 ** 31 - 1;

/** Reads a few messages at a time: with large inputs for tools, those of a long chat are many megabytes. */
async function newestSnippet(
  database: Database,
  chatId: string,
  words: readonly string[],
): Promise<string | undefined> {
  for (let before = maxOrdinal; ; ) {
    // Written out, because a page asks this for each of its chats, and building a query costs about as much as running it.
    const query = sql<Pick<MessageRow, 'ordinal' | 'role' | 'message'>>`select ordinal, role, message from messages
      where thread_id = ${chatId} and ordinal < ${before} and superseded_by is null and message_id is not null
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
