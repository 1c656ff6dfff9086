import { type Kysely, sql } from 'kysely';
import { type Position, parseCursor, toCursor, toPage } from '../../db/page.ts';
import type { MailRow, MailThreadRow, Tables } from '../../db/tables.ts';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import { person, type TeamRows, type TeamWrite, toMail } from '../team-rows.store.ts';
import type { Page, TeamReader } from '../team-store.ts';
import type { MailThread } from './mail.ts';

type ThreadQuery = Parameters<TeamReader['threads']>[0];

/** A search looks at no more than this for one page; its cursor says where to go on. */
const maxThreadsSearched = 2000;
const maxCharactersSearched = 10_000_000;
const searchStep = 100;

export async function noteMail(write: TeamWrite, mail: MailRow): Promise<void> {
  const isFromPerson = mail.from_agent_id === null && mail.from_agent_type === 'HUMAN';
  const isToPerson = mail.recipient === person;
  const sender = mail.from_agent_id !== null || isFromPerson ? [mail.from_agent_id] : [];
  const participants = [...new Set([...sender, isToPerson ? null : mail.recipient])];
  const first: MailThreadRow = {
    id: mail.thread_id,
    subject: mail.subject,
    participants: JSON.stringify(participants),
    mails: 1,
    unread_for_human: isToPerson ? 1 : 0,
    with_human: isToPerson || isFromPerson ? 1 : 0,
    has_escalation: mail.escalation === null ? 0 : 1,
    last_mail_id: mail.id,
    last_at: mail.at,
  };
  const added = await write.db
    .insertInto('mail_threads')
    .values(first)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added) return;
  const before = await write.db
    .selectFrom('mail_threads')
    .selectAll()
    .where('id', '=', first.id)
    .$call(write.lockRows)
    .executeTakeFirstOrThrow();
  const known: unknown[] = JSON.parse(before.participants);
  // Clocks of two processes may differ: the newest mail is the one with the latest time.
  const isNewest =
    first.last_at > before.last_at || (first.last_at === before.last_at && first.last_mail_id > before.last_mail_id);
  await write.db
    .updateTable('mail_threads')
    .set({
      participants: JSON.stringify([...new Set([...known, ...participants])]),
      mails: before.mails + 1,
      unread_for_human: before.unread_for_human + first.unread_for_human,
      with_human: Math.max(before.with_human, first.with_human),
      has_escalation: Math.max(before.has_escalation, first.has_escalation),
      ...(isNewest && { last_mail_id: first.last_mail_id, last_at: first.last_at }),
    })
    .where('id', '=', first.id)
    .execute();
}

/** So many mails to the person were read for the first time. */
export async function noteReading(write: TeamWrite, threadId: string, mails: number): Promise<void> {
  await write.db
    .updateTable('mail_threads')
    .set({ unread_for_human: sql<number>`unread_for_human - ${mails}` })
    .where('id', '=', threadId)
    .execute();
}

export function threadReader(rows: TeamRows): Pick<TeamReader, 'threads'> {
  return {
    async threads(query) {
      const after = parseCursor(query.cursor);
      const words = wordsOf(query.text ?? '');
      const ids = await rows.run((db) =>
        words.length > 0 ? search(db, query, { words, after }) : firstThreads(db, query, after),
      );
      const shown = await rows.run((db) => readThreads(db, ids.items));
      return { items: shown, cursor: ids.cursor };
    },
  };
}

async function firstThreads(
  db: Kysely<Tables>,
  query: ThreadQuery,
  after: Position | undefined,
): Promise<Page<string>> {
  const found = await newestThreads(db, { ...query, limit: query.limit + 1 }, after);
  return toPage(found, query.limit, { item: (row) => row.id, position: (row) => [row.last_at, row.id] });
}

async function search(
  db: Kysely<Tables>,
  query: ThreadQuery,
  options: { words: readonly string[]; after: Position | undefined },
): Promise<Page<string>> {
  const found: string[] = [];
  let { after } = options;
  let characters = 0;
  for (let looked = 0; looked < maxThreadsSearched && characters < maxCharactersSearched; looked += searchStep) {
    const step = await newestThreads(db, { ...query, limit: searchStep }, after);
    const texts = await textsOf(
      db,
      step.map((row) => row.id),
    );
    for (const { id, last_at } of step) {
      if (found.length === query.limit) return { items: found, cursor: after ? toCursor(after) : null };
      const text = texts.get(id) ?? '';
      characters += text.length;
      after = [last_at, id];
      if (options.words.every((word) => text.includes(word))) found.push(id);
    }
    if (step.length < searchStep) return { items: found, cursor: null };
  }
  return { items: found, cursor: after ? toCursor(after) : null };
}

function newestThreads(
  db: Kysely<Tables>,
  query: Omit<ThreadQuery, 'text' | 'cursor'>,
  after: Position | undefined,
): Promise<Pick<MailThreadRow, 'id' | 'last_at'>[]> {
  let select = db
    .selectFrom('mail_threads')
    .select(['id', 'last_at'])
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit);
  // Literals, because SQLite takes a partial index only for them. What is unread for the person is also with the person.
  if (query.onlyUnread) select = select.where('unread_for_human', '>', sql.lit(0));
  else if (!query.all) select = select.where('with_human', '=', sql.lit(1));
  if (query.onlyEscalations) select = select.where('has_escalation', '=', sql.lit(1));
  if (after) select = select.where(sql<boolean>`(last_at, id) < (${after[0]}, ${after[1]})`);
  return select.execute();
}

/** Subjects and bodies in small letters, by thread. */
async function textsOf(db: Kysely<Tables>, ids: readonly string[]): Promise<Map<string, string>> {
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

async function readThreads(db: Kysely<Tables>, ids: readonly string[]): Promise<MailThread[]> {
  if (ids.length === 0) return [];
  const threads = await db.selectFrom('mail_threads').selectAll().where('id', 'in', ids).execute();
  const lastIds = threads.map((row) => row.last_mail_id);
  const lasts = await db.selectFrom('mails').selectAll().where('id', 'in', lastIds).execute();
  const lastById = new Map(lasts.map((row) => [row.id, row]));
  const threadById = new Map(threads.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = threadById.get(id);
    const last = row && lastById.get(row.last_mail_id);
    return row && last ? [toThread(row, last)] : [];
  });
}

function toThread(row: MailThreadRow, last: MailRow): MailThread {
  return {
    threadId: row.id,
    subject: row.subject,
    participants: JSON.parse(row.participants),
    mails: row.mails,
    unread: row.unread_for_human,
    last: toMail(last),
    hasEscalation: row.has_escalation === 1,
  };
}

function wordsOf(text: string): string[] {
  return cleanText(text)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
