import { type Kysely, sql } from 'kysely';
import type { MailboxQuery } from '../team/team-store.ts';
import { cleanText } from './knowledge-rows.ts';
import type { Tables } from './tables.ts';
import { person, type TeamWrite } from './team-rows.ts';

/** Counted along with each mail and each reading: a look at an inbox with 100,000 unread mails must not count them. */
export async function countUnread(
  db: Kysely<Tables>,
  query: Pick<MailboxQuery, 'toAgentId' | 'since'>,
): Promise<number> {
  const recipient = query.toAgentId === null ? person : cleanText(query.toAgentId);
  const since = query.since === undefined ? 0 : Date.parse(query.since);
  const box = await db
    .selectFrom('mailboxes')
    .select(['since', 'unread'])
    .where('recipient', '=', recipient)
    .executeTakeFirst();
  if (!box) return 0;
  return box.since === since ? box.unread : countRows(db, recipient, since);
}

/** For a member that begins now: what an older one of its name was sent is not counted any more. */
export async function openMailbox(write: TeamWrite, recipient: string, since: number): Promise<void> {
  await keepUnread(write);
  // The row is locked before the mails are counted, so that one that is sent meanwhile is counted once.
  await write.db
    .insertInto('mailboxes')
    .values({ recipient, since, unread: 0 })
    .onConflict((conflict) => conflict.column('recipient').doUpdateSet({ since, unread: 0 }))
    .execute();
  const unread = await countRows(write.db, recipient, since);
  if (unread > 0) await write.db.updateTable('mailboxes').set({ unread }).where('recipient', '=', recipient).execute();
}

/** Writes what changed so far. In one order, so that two transactions do not wait for each other. */
export async function keepUnread(write: TeamWrite): Promise<void> {
  const changes = write.unread
    .splice(0)
    .sort((one, other) => (one.recipient < other.recipient ? -1 : Number(one.recipient > other.recipient)));
  for (const { recipient, at, by } of changes) {
    await sql`
      insert into mailboxes (recipient, since, unread) values (${recipient}, 0, ${by})
      on conflict (recipient) do update set unread = mailboxes.unread + excluded.unread
      where mailboxes.since <= ${at}`.execute(write.db);
  }
}

async function countRows(db: Kysely<Tables>, recipient: string, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('mails')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('recipient', '=', recipient)
    .where('read_at', 'is', null)
    .where('at', '>=', since)
    .executeTakeFirstOrThrow();
  return count;
}
