import { type Kysely, sql } from 'kysely';
import type { Page } from '../../base/contract-fields.ts';
import { type Position, parseCursor, toCursor, toPage } from '../../db/page.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';

/** Limits for one page of a search. The cursor continues the search after them. */
const maxThreadsSearched = 2000;
const maxCharactersSearched = 10_000_000;
const searchStep = 100;

type ThreadFilter = {
  /** Includes threads between members. */
  all: boolean;
  onlyUnread: boolean;
  onlyEscalations: boolean;
  /** Leaves out threads of one mail whose subject begins with this. */
  withoutLone?: string | undefined;
};

export type ThreadQuery = ThreadFilter & { text?: string | undefined; limit: number; cursor?: string | undefined };

/** Returns the ids of threads by their newest mail. With a text, only threads whose mails contain all its words. */
export function findThreads(db: Kysely<Tables>, query: ThreadQuery): Promise<Page<string>> {
  const words = toWords(query.text ?? '');
  return words.length > 0 ? searchThreads(db, query, words) : firstThreads(db, query);
}

async function firstThreads(db: Kysely<Tables>, query: ThreadQuery): Promise<Page<string>> {
  const found = await newestThreads(db, query, { after: parseCursor(query.cursor), limit: query.limit + 1 });
  return toPage(found, query.limit, { item: (row) => row.id, position: (row) => [row.last_at, row.id] });
}

async function searchThreads(db: Kysely<Tables>, query: ThreadQuery, words: string[]): Promise<Page<string>> {
  const found: string[] = [];
  let after = parseCursor(query.cursor);
  let characters = 0;
  for (let looked = 0; looked < maxThreadsSearched && characters < maxCharactersSearched; looked += searchStep) {
    const step = await newestThreads(db, query, { after, limit: searchStep });
    const texts = await readTexts(
      db,
      step.map((row) => row.id),
    );
    for (const { id, last_at } of step) {
      if (found.length === query.limit) return { items: found, cursor: after ? toCursor(after) : null };
      const text = texts.get(id) ?? '';
      characters += text.length;
      after = [last_at, id];
      if (words.every((word) => text.includes(word))) found.push(id);
    }
    if (step.length < searchStep) return { items: found, cursor: null };
  }
  return { items: found, cursor: after ? toCursor(after) : null };
}

function newestThreads(
  db: Kysely<Tables>,
  filter: ThreadFilter,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<Pick<Tables['mail_threads'], 'id' | 'last_at'>[]> {
  let select = db
    .selectFrom('mail_threads')
    .select(['id', 'last_at'])
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  // Literals, because SQLite uses a partial index only for them. A thread with unread mail for the user is also with the user.
  if (filter.onlyUnread) select = select.where('unread_for_human', '>', sql.lit(0));
  else if (!filter.all) select = select.where('with_human', '=', sql.lit(1));
  if (filter.onlyEscalations) select = select.where('has_escalation', '=', sql.lit(1));
  const { withoutLone: prefix } = filter;
  if (prefix !== undefined)
    select = select.where(sql<boolean>`not (mails = 1 and substr(subject, 1, ${sql.lit(prefix.length)}) = ${prefix})`);
  if (after) select = select.where(sql<boolean>`(last_at, id) < (${after[0]}, ${after[1]})`);
  return select.execute();
}

/** Returns subjects and bodies in lower case, by thread. */
async function readTexts(db: Kysely<Tables>, ids: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (ids.length === 0) return texts;
  const mails = await db
    .selectFrom('mails')
    .select(['thread_id', 'subject', 'body'])
    .where('thread_id', 'in', ids)
    .execute();
  for (const { thread_id: id, subject, body } of mails) {
    texts.set(id, (texts.get(id) ?? '') + `\n${subject}\n${body}`.toLowerCase());
  }
  return texts;
}

function toWords(text: string): string[] {
  return cleanText(text)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
