import { sql, type Transaction } from 'kysely';
import { wordsOf } from '../chats/search-words.ts';
import { cleanText } from './knowledge-rows.ts';
import type { Tables } from './tables.ts';

interface Indexed {
  db: Transaction<Tables>;
  kind: 'sqlite' | 'postgres';
  chatId: string;
}

/** Of one text: more of it is not found. */
const mostTextCharacters = 100_000;

/** Makes a text of a chat findable. */
export async function addText(index: Indexed, seq: number, text: string): Promise<void> {
  const kept = cleanText(text).slice(0, mostTextCharacters).toWellFormed();
  if (kept.trim() === '') return;
  const { db, chatId } = index;
  await db.insertInto('chat_texts').values({ chat_id: chatId, seq, text: kept }).execute();
  await addWords(index, wordsOf(kept));
}

/** Takes the texts from a number on out of the index, or one alone. */
export async function removeTexts(index: Indexed, which: { from: number } | { only: number }): Promise<void> {
  const { db, chatId } = index;
  const rows = await db.selectFrom('chat_texts').select(['seq', 'text']).where('chat_id', '=', chatId).execute();
  const goes = ({ seq }: { seq: number }) => ('only' in which ? seq === which.only : seq >= which.from);
  const kept = new Set(rows.filter((row) => !goes(row)).flatMap(({ text }) => wordsOf(text)));
  const gone = new Set(rows.filter(goes).flatMap(({ text }) => wordsOf(text)));
  await removeWords(index, [...gone.difference(kept)]);
  const query = db.deleteFrom('chat_texts').where('chat_id', '=', chatId);
  await ('only' in which ? query.where('seq', '=', which.only) : query.where('seq', '>=', which.from)).execute();
}

/** All in one statement, however many there are. */
async function addWords({ db, kind, chatId }: Indexed, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await sql`insert into chat_words (chat_id, word) select ${chatId}, word from ${listed(kind, words)} where true
    on conflict do nothing`.execute(db);
}

async function removeWords({ db, kind, chatId }: Indexed, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await sql`delete from chat_words where chat_id = ${chatId} and word in (select word from ${listed(kind, words)})`.execute(
    db,
  );
}

function listed(kind: Indexed['kind'], words: readonly string[]) {
  const json = JSON.stringify(words);
  return kind === 'sqlite'
    ? sql`(select value as word from json_each(${json})) as given`
    : sql`(select value collate "C" as word from json_array_elements_text(${json}::json)) as given`;
}
