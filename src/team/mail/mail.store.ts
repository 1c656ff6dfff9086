import { type Kysely, type RawBuilder, sql } from 'kysely';
import { toIso } from '../../base/clock.ts';
import type { Page, PageQuery } from '../../base/contract-fields.ts';
import { parseCursor, toPage } from '../../db/page.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';
import { cleanOrNull, isoOrNull, msOrNull, type TeamRows, type TeamWrite } from '../team-rows.store.ts';
import { findThreads, type ThreadQuery } from './find-threads.store.ts';
import { type Mail, type MailThread, maxUnreadCount } from './mail.ts';

/** The user, in the column `recipient`. No member can have this id. */
const user = '';

/** Limits for one page of a thread, because a thread can grow without end. */
const maxThreadMails = 500;
const maxThreadCharacters = 4_000_000;

/** A mail that is further ahead than clocks differ was written while one was wrong. It does not push all later mails ahead. */
const maxClockGapMs = 30 * 60_000;

type Mailbox = {
  /** Null for the user's mailbox. */
  toAgentId: string | null;
  /** ISO time. A member does not see mail to an earlier member of the same name. */
  since?: string | undefined;
};

export function mailReader(rows: TeamRows) {
  return {
    async mail(id: string): Promise<Mail | undefined> {
      const row = await rows.run((db) =>
        db.selectFrom('mails').selectAll().where('id', '=', cleanText(id)).$call(rows.lockRows).executeTakeFirst(),
      );
      return row && toMail(row);
    },
    /** Newest first. */
    async mailbox(query: Mailbox & { includeRead: boolean; limit: number; cursor?: string | undefined }) {
      const { includeRead, since, limit } = query;
      const after = parseCursor(query.cursor);
      const found = await rows.run((db) => {
        let select = db
          .selectFrom('mails')
          .selectAll()
          .where('recipient', '=', toRecipient(query))
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1);
        if (!includeRead) select = select.where('read_at', 'is', null);
        if (since !== undefined) select = select.where('at', '>=', Date.parse(since));
        if (after) select = select.where(sql<boolean>`(at, id) < (${after[0]}, ${after[1]})`);
        return select.execute();
      });
      return toPage(found, limit, { item: toMail, position: (row) => [row.at, row.id] });
    },
    /** Counts up to `maxUnreadCount`, so that an unread inbox of any size costs the same. */
    countUnread: (mailbox: Mailbox): Promise<number> =>
      rows.run(async (db) => {
        // Ordered as the index is, so that PostgreSQL stops at the limit instead of collecting all rows first.
        const unread = db
          .selectFrom('mails')
          .select('id')
          .where('recipient', '=', toRecipient(mailbox))
          .where('read_at', 'is', null)
          .where('at', '>=', mailbox.since === undefined ? 0 : Date.parse(mailbox.since))
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(maxUnreadCount);
        const { count } = await db
          .selectFrom(unread.as('unread'))
          .select((each) => each.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        return count;
      }),
    /** Returns the newest mails of a thread, oldest first. A cursor continues with earlier mails. */
    thread: (threadId: string, query: PageQuery = {}): Promise<Page<Mail>> =>
      rows.run((db) => pageOfThread(db, cleanText(threadId), query)),
    /** Lists threads by their newest mail. */
    async threads(query: ThreadQuery): Promise<Page<MailThread>> {
      const { items: ids, cursor } = await rows.run((db) => findThreads(db, query));
      return { items: await rows.run((db) => readThreads(db, ids)), cursor };
    },
  };
}

export function mailWriter(write: TeamWrite) {
  return {
    /** Returns its time, which is later than `createdAt` if that would not sort after the mails that were there before. */
    async addMail(mail: Mail): Promise<number> {
      const row = toRow(mail);
      const { at } = await write.db
        .insertInto('mails')
        .values({ ...row, at: timeInOrder(write, row) })
        .returning('at')
        .executeTakeFirstOrThrow();
      await addToThread(write, { ...row, at });
      write.changed('mail');
      return at;
    },
    /** Keeps the time of the first reading. */
    async markRead(mailId: string, at: number): Promise<void> {
      const row = await write.db
        .updateTable('mails')
        .set({ read_at: at })
        .where('id', '=', cleanText(mailId))
        .where('read_at', 'is', null)
        .returning(['recipient', 'thread_id'])
        .executeTakeFirst();
      if (!row) return;
      if (row.recipient === user) await reduceUnread(write, row.thread_id, 1);
      write.changed('mail');
    },
    /** Marks the user's mails of a thread as read. */
    async markThreadRead(threadId: string, at: number): Promise<void> {
      const thread = cleanText(threadId);
      const read = await write.db
        .updateTable('mails')
        .set({ read_at: at })
        .where('thread_id', '=', thread)
        .where('recipient', '=', user)
        .where('read_at', 'is', null)
        .returning('id')
        .execute();
      if (read.length === 0) return;
      await reduceUnread(write, thread, read.length);
      write.changed('mail');
    },
  };
}

// The schemas of mail.ts checked the words in `from_agent_type` and `escalation` before they were written.
function toMail(row: MailRow): Mail {
  const { at, recipient, read_at, escalation } = row;
  return {
    id: row.id,
    threadId: row.thread_id,
    inReplyTo: row.in_reply_to,
    fromAgentId: row.from_agent_id,
    fromAgentType: row.from_agent_type as Mail['fromAgentType'],
    toAgentId: recipient === user ? null : recipient,
    isForHuman: recipient === user,
    subject: row.subject,
    body: row.body,
    isRead: read_at !== null,
    createdAt: toIso(at),
    readAt: isoOrNull(read_at),
    escalation: escalation && {
      ...JSON.parse(escalation),
      count: row.escalation_count,
      lastAt: toIso(row.escalation_at ?? at),
    },
  };
}

function toRow(mail: Mail): MailRow {
  const { count = 0, lastAt = null, ...escalation } = mail.escalation ?? {};
  return {
    id: cleanText(mail.id),
    thread_id: cleanText(mail.threadId),
    in_reply_to: cleanOrNull(mail.inReplyTo),
    from_agent_id: mail.fromAgentId,
    from_agent_type: mail.fromAgentType,
    recipient: toRecipient(mail),
    at: Date.parse(mail.createdAt),
    read_at: msOrNull(mail.readAt),
    // JSON escapes NUL characters, so both databases accept the text.
    escalation: mail.escalation === null ? null : JSON.stringify(escalation),
    escalation_count: count,
    escalation_at: msOrNull(lastAt),
    subject: cleanText(mail.subject),
    body: cleanText(mail.body),
  };
}

function toRecipient({ toAgentId }: Pick<Mail, 'toAgentId'>): string {
  return toAgentId === null ? user : cleanText(toAgentId);
}

async function pageOfThread(db: Kysely<Tables>, threadId: string, query: PageQuery): Promise<Page<Mail>> {
  const limit = Math.min(query.limit ?? maxThreadMails, maxThreadMails);
  const after = parseCursor(query.cursor);
  let select = db
    .selectFrom('mails')
    .select(['id', 'at', sql<number>`length(body)`.as('characters')])
    .where('thread_id', '=', threadId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (after) select = select.where(sql<boolean>`(at, id) < (${after[0]}, ${after[1]})`);
  const sizes = await select.execute();
  let charactersLeft = maxThreadCharacters;
  const fitting = sizes.filter(({ characters }, index) => {
    charactersLeft -= characters;
    return index === 0 || charactersLeft >= 0;
  });
  const { items: ids, cursor } = toPage(sizes, Math.min(fitting.length, limit), {
    item: ({ id }) => id,
    position: ({ at, id }) => [at, id],
  });
  if (ids.length === 0) return { items: [], cursor: null };
  const found = await db.selectFrom('mails').selectAll().where('id', 'in', ids).orderBy('at').orderBy('id').execute();
  return { items: found.map(toMail), cursor };
}

/**
 * Returns the first time, from that of the row on, at which it sorts after the last mail of its thread and of its mailbox: clocks differ
 * and are set back. A member's mail is also no older than the member.
 */
function timeInOrder({ dialect }: TeamWrite, { at, id, recipient, thread_id }: MailRow): RawBuilder<number> {
  const earlier = sql`select max(time) from (
    select at + case when id >= ${id} then 1 else 0 end as time from (select at, id from mails
      where recipient = ${recipient} and at < ${at + maxClockGapMs} order by at desc, id desc limit 1) as newest
    union all select last_at + case when last_mail_id >= ${id} then 1 else 0 end from mail_threads where id = ${thread_id}
    union all select created_at from team_members where id = ${recipient} and created_at < ${at + maxClockGapMs}) as earlier`;
  return dialect.greatest(sql`${at}`, sql`coalesce((${earlier}), 0)`);
}

/** Adds a mail to the row of its thread, which holds what a list of threads shows. */
async function addToThread(write: TeamWrite, mail: MailRow): Promise<void> {
  const isFromUser = mail.from_agent_type === 'HUMAN';
  const isToUser = mail.recipient === user;
  const senders = mail.from_agent_id !== null || isFromUser ? [mail.from_agent_id] : [];
  const participants = [...new Set([...senders, isToUser ? null : mail.recipient])];
  const first: MailThreadRow = {
    id: mail.thread_id,
    subject: mail.subject,
    participants: JSON.stringify(participants),
    mails: 1,
    unread_for_human: isToUser ? 1 : 0,
    with_human: isToUser || isFromUser ? 1 : 0,
    has_escalation: mail.escalation === null ? 0 : 1,
    last_mail_id: mail.id,
    last_at: mail.at,
  };
  const inserted = await write.db
    .insertInto('mail_threads')
    .values(first)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) return;
  const before = await write.db
    .selectFrom('mail_threads')
    .selectAll()
    .where('id', '=', first.id)
    .$call(write.lockRows)
    .executeTakeFirstOrThrow();
  const known: unknown[] = JSON.parse(before.participants);
  // The clocks of two processes may differ, so the newest mail is not always the last one added.
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

async function reduceUnread(write: TeamWrite, threadId: string, mails: number): Promise<void> {
  await write.db
    .updateTable('mail_threads')
    .set({ unread_for_human: sql<number>`unread_for_human - ${mails}` })
    .where('id', '=', threadId)
    .execute();
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
    if (!row || !last) return [];
    const { subject, mails, unread_for_human: unread } = row;
    const participants = JSON.parse(row.participants);
    return {
      threadId: id,
      subject,
      participants,
      mails,
      unread,
      last: toMail(last),
      hasEscalation: row.has_escalation === 1,
    };
  });
}

declare module '../../db/tables.ts' {
  interface Tables {
    mails: MailRow;
    mail_threads: MailThreadRow;
  }
}

interface MailRow {
  id: string;
  thread_id: string;
  in_reply_to: string | null;
  from_agent_id: string | null;
  from_agent_type: string;
  /** A member's id; '' for the user. */
  recipient: string;
  at: number;
  read_at: number | null;
  /** JSON without `count` and `lastAt`, which have their own columns. */
  escalation: string | null;
  escalation_count: number;
  escalation_at: number | null;
  subject: string;
  body: string;
}

/** What a list shows of a thread. Updated with each new mail and each reading. */
interface MailThreadRow {
  id: string;
  subject: string;
  participants: string;
  mails: number;
  unread_for_human: number;
  with_human: number;
  has_escalation: number;
  last_mail_id: string;
  last_at: number;
}
