import { type Kysely, sql } from 'kysely';
import { parseCursor, toPage } from '../../db/page.ts';
import type { MailRow, Tables } from '../../db/tables.ts';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import { person, type TeamRows, type TeamWrite, toMail } from '../team-rows.store.ts';
import type { NewMail, Page, TeamReader, TeamWriter, ThreadQuery } from '../team-store.ts';
import { type Mail, maxUnreadCount } from './mail.ts';
import { noteMail, noteReading } from './mail-threads.store.ts';

export function mailReader(rows: TeamRows): Pick<TeamReader, 'mail' | 'mailbox' | 'thread' | 'countUnread'> {
  return {
    async mail(id) {
      const row = await rows.run((db) =>
        db.selectFrom('mails').selectAll().where('id', '=', cleanText(id)).$call(rows.lockRows).executeTakeFirst(),
      );
      return row && toMail(row);
    },
    async mailbox(query) {
      const { toAgentId, includeRead, since, limit } = query;
      const after = parseCursor(query.cursor);
      const found = await rows.run((db) => {
        let select = db
          .selectFrom('mails')
          .selectAll()
          .where('recipient', '=', toAgentId === null ? person : cleanText(toAgentId))
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
    thread: (threadId, query = {}) => rows.run((db) => pageOfThread(db, cleanText(threadId), query)),
    countUnread: ({ toAgentId, since }) =>
      rows.run(async (db) => {
        // In the order of the index, so that PostgreSQL stops at the limit instead of collecting them all first.
        const unread = db
          .selectFrom('mails')
          .select('id')
          .where('recipient', '=', toAgentId === null ? person : cleanText(toAgentId))
          .where('read_at', 'is', null)
          .where('at', '>=', since === undefined ? 0 : Date.parse(since))
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(maxUnreadCount);
        const { count } = await db
          .selectFrom(unread.as('unread'))
          .select((each) => each.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        return count;
      }),
  };
}

export function mailWriter(write: TeamWrite): Pick<TeamWriter, 'addMail' | 'markRead' | 'markThreadRead'> {
  return {
    async addMail(mail) {
      const row = toRow(mail);
      await write.db.insertInto('mails').values(row).execute();
      await noteMail(write, row);
      write.changed('mail');
    },
    async markRead(mailId, at) {
      const row = await write.db
        .updateTable('mails')
        .set({ read_at: at })
        .where('id', '=', cleanText(mailId))
        .where('read_at', 'is', null)
        .returning(['recipient', 'thread_id'])
        .executeTakeFirst();
      if (!row) return;
      if (row.recipient === person) await noteReading(write, row.thread_id, 1);
      write.changed('mail');
    },
    async markThreadRead(threadId, at) {
      const thread = cleanText(threadId);
      const read = await write.db
        .updateTable('mails')
        .set({ read_at: at })
        .where('thread_id', '=', thread)
        .where('recipient', '=', person)
        .where('read_at', 'is', null)
        .returning('id')
        .execute();
      if (read.length === 0) return;
      await noteReading(write, thread, read.length);
      write.changed('mail');
    },
  };
}

/** A member can answer without end: what is shown at once has one. */
const maxThreadMails = 500;
const maxThreadCharacters = 4_000_000;

async function pageOfThread(db: Kysely<Tables>, threadId: string, query: ThreadQuery): Promise<Page<Mail>> {
  const most = Math.min(query.limit ?? maxThreadMails, maxThreadMails);
  const after = parseCursor(query.cursor);
  let select = db
    .selectFrom('mails')
    .select(['id', 'at', sql<number>`length(body)`.as('characters')])
    .where('thread_id', '=', threadId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(most + 1);
  if (after) select = select.where(sql<boolean>`(at, id) < (${after[0]}, ${after[1]})`);
  const sizes = await select.execute();
  let left = maxThreadCharacters;
  const fitting = sizes.filter(({ characters }, index) => {
    left -= characters;
    return index === 0 || left >= 0;
  });
  const { items: ids, cursor } = toPage(sizes, Math.min(fitting.length, most), {
    item: ({ id }) => id,
    position: ({ at, id }) => [at, id],
  });
  if (ids.length === 0) return { items: [], cursor: null };
  const found = await db.selectFrom('mails').selectAll().where('id', 'in', ids).orderBy('at').orderBy('id').execute();
  return { items: found.map(toMail), cursor };
}

function toRow(mail: NewMail): MailRow {
  return {
    id: cleanText(mail.id),
    thread_id: cleanText(mail.threadId),
    in_reply_to: mail.inReplyTo === null ? null : cleanText(mail.inReplyTo),
    from_agent_id: mail.fromAgentId,
    from_agent_type: mail.fromAgentType,
    recipient: mail.isForHuman || mail.toAgentId === null ? person : cleanText(mail.toAgentId),
    at: mail.at,
    read_at: null,
    // JSON writes a NUL as six characters that both databases take.
    escalation: mail.escalation === null ? null : JSON.stringify(mail.escalation),
    escalation_count: mail.escalation === null ? 0 : 1,
    escalation_at: mail.escalation === null ? null : mail.at,
    subject: cleanText(mail.subject),
    body: cleanText(mail.body),
  };
}
