import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { addMails, mailRow, mailToUser, memberRow, teamTime } from '../../../test/support/team/team-rows.ts';
import type { Page } from '../../base/contract-fields.ts';
import type { TeamStore } from '../team.store.ts';
import type { Mail } from './mail.ts';

describe.each(databaseKinds)('mail in %s', (kind) => {
  let stores: TestStores;
  let team: TeamStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    team = stores.store.team;
  });
  afterAll(() => stores.remove());

  it('every process reads a mail unchanged', async () => {
    const escalation = { tool: 'mcp__mail__send', code: 'INTERNAL_ERROR', callId: 'call', isCritical: true };
    await addMails(team, [
      mailRow('first', { toAgentId: 'reader' }),
      mailToUser('second', {
        threadId: 'first',
        inReplyTo: 'first',
        fromAgentId: 'reader',
        escalation,
        at: teamTime + 1,
      }),
    ]);
    expect(await stores.other.team.mail('first')).toEqual(mailRow('first', { toAgentId: 'reader' }));
    const moment = new Date(teamTime + 1).toISOString();
    expect(await stores.other.team.mail('second')).toMatchObject({
      inReplyTo: 'first',
      fromAgentId: 'reader',
      toAgentId: null,
      isForHuman: true,
      escalation: { ...escalation, count: 1, lastAt: moment },
    });
    expect((await team.thread('first')).items.map((mail) => mail.id)).toEqual(['first', 'second']);
    expect(await team.thread('none')).toEqual({ items: [], cursor: null });
    expect(await team.mail('none\0')).toBeUndefined();
  });

  it('a long thread is paged from its newest mails, and marked as read as a whole', async () => {
    const answer = (index: number, fields: Parameters<typeof mailToUser>[1]) =>
      mailToUser(`flood-${String(index).padStart(4, '0')}`, {
        threadId: 'flood-0000',
        at: teamTime + index,
        ...fields,
      });
    await addMails(
      team,
      Array.from({ length: 600 }, (_, index) => answer(index, { body: 'x' })),
    );
    const ends = ({ items }: { items: { id: string }[] }) => [items.length, items[0]?.id, items.at(-1)?.id];
    const many = await team.thread('flood-0000');
    expect(ends(many)).toEqual([500, 'flood-0100', 'flood-0599']);
    const older = await team.thread('flood-0000', { cursor: many.cursor ?? '' });
    expect([...ends(older), older.cursor]).toEqual([100, 'flood-0000', 'flood-0099', null]);
    const few = await team.thread('flood-0000', { limit: 99, cursor: many.cursor ?? '' });
    expect(ends(few)).toEqual([99, 'flood-0001', 'flood-0099']);
    const last = await team.thread('flood-0000', { limit: 99, cursor: few.cursor ?? '' });
    expect([...ends(last), last.cursor]).toEqual([1, 'flood-0000', 'flood-0000', null]);
    await expect(team.thread('flood-0000', { cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    await addMails(
      team,
      Array.from({ length: 50 }, (_, index) => answer(600 + index, { body: 'x'.repeat(100_000) })),
    );
    const large = await team.thread('flood-0000');
    expect(ends(large)).toEqual([40, 'flood-0610', 'flood-0649']);
    const below = await team.thread('flood-0000', { limit: 20, cursor: large.cursor ?? '' });
    expect(ends(below)).toEqual([20, 'flood-0590', 'flood-0609']);
    const unread = await team.countUnread({ toAgentId: null });
    await team.write((rows) => rows.markThreadRead('flood-0000', teamTime + 1_000));
    await team.write((rows) => rows.markThreadRead('flood-0000', teamTime + 2_000));
    expect(await team.countUnread({ toAgentId: null })).toBe(unread - 650);
    const { items } = await team.threads({ all: true, onlyUnread: false, onlyEscalations: false, limit: 200 });
    expect(items.find((thread) => thread.threadId === 'flood-0000')).toMatchObject({ mails: 650, unread: 0 });
  });

  it('text that PostgreSQL would reject is stored the same way in both databases', async () => {
    await addMails(team, [mailRow('nul', { subject: 'a\0b', body: 'half \ud800 and \0' })]);
    expect(await team.mail('nul')).toMatchObject({ subject: 'a\ufffdb', body: 'half \ufffd and \ufffd' });
  });

  it('reading again keeps the first time', async () => {
    await addMails(team, [mailRow('read-twice')]);
    await team.write((rows) => rows.markRead('read-twice', teamTime + 10));
    await team.write((rows) => rows.markRead('read-twice', teamTime + 20));
    const readAt = new Date(teamTime + 10).toISOString();
    expect(await team.mail('read-twice')).toMatchObject({ isRead: true, readAt });
  });

  describe('a mailbox', () => {
    let mailbox: string;
    let next = 0;
    beforeEach(() => {
      next += 1;
      mailbox = `box-${next}`;
    });

    const fill = async (count: number) => {
      const mails = Array.from({ length: count }, (_, index) =>
        // Three of each moment, so that pages end in the middle of one.
        mailRow(`${mailbox}-${String(index).padStart(2, '0')}`, {
          toAgentId: mailbox,
          at: teamTime + Math.floor(index / 3),
        }),
      );
      await addMails(team, [...mails, mailRow(`${mailbox}-other`, { toAgentId: 'someone-else' })]);
      return mails.map((mail) => mail.id);
    };

    it('is paged, newest first, without gaps or repeats', async () => {
      const ids = await fill(20);
      const query = { toAgentId: mailbox, includeRead: true, limit: 7 };
      const seen = await allPages((cursor) => team.mailbox({ ...query, cursor }));
      expect(seen.pages).toBe(3);
      expect(seen.ids).toEqual(ids.toReversed());
      const whole = await team.mailbox({ ...query, limit: 20 });
      expect(whole.cursor).toBeNull();
    });

    it('shows and counts unread mail', async () => {
      const ids = await fill(9);
      const since = new Date(0).toISOString();
      expect(await team.countUnread({ toAgentId: mailbox })).toBe(9);
      await team.write(async (rows) => {
        await rows.markRead(ids[4] ?? '', teamTime);
        await rows.markRead(ids[4] ?? '', teamTime);
        await rows.markRead(ids[8] ?? '', teamTime);
        expect(await rows.countUnread({ toAgentId: mailbox })).toBe(7);
      });
      const unread = await team.mailbox({ toAgentId: mailbox, includeRead: false, limit: 3 });
      expect(unread.items.map((mail) => mail.id)).toEqual([ids[7], ids[6], ids[5]]);
      const rest = await team.mailbox({
        toAgentId: mailbox,
        includeRead: false,
        limit: 10,
        cursor: unread.cursor ?? undefined,
      });
      expect(rest.items.map((mail) => mail.id)).toEqual([ids[3], ids[2], ids[1], ids[0]]);
      expect(await team.countUnread({ toAgentId: mailbox })).toBe(7);
      expect(await team.countUnread({ toAgentId: mailbox, since })).toBe(7);
      expect(await team.countUnread({ toAgentId: mailbox, since: new Date(teamTime + 2).toISOString() })).toBe(2);
      expect(await team.countUnread({ toAgentId: 'nobody' })).toBe(0);
    });

    it('of a new member hides mail to an earlier member of the same name', async () => {
      const ids = await fill(9);
      const since = new Date(teamTime + 2).toISOString();
      await team.write((rows) => rows.addMember(memberRow(mailbox, { createdAt: since })));
      expect(await team.countUnread({ toAgentId: mailbox, since })).toBe(3);
      const page = await team.mailbox({ toAgentId: mailbox, since, includeRead: true, limit: 20 });
      expect(page.items.map((mail) => mail.id)).toEqual([ids[8], ids[7], ids[6]]);

      await team.write(async (rows) => {
        // One that it cannot see, one that it can, and one that comes in meanwhile.
        await rows.markRead(ids[0] ?? '', teamTime + 3);
        await rows.markRead(ids[8] ?? '', teamTime + 3);
        await rows.addMail(mailRow(`${mailbox}-new`, { toAgentId: mailbox, at: teamTime + 4 }));
      });
      expect(await team.countUnread({ toAgentId: mailbox, since })).toBe(3);
      expect(await team.countUnread({ toAgentId: mailbox })).toBe(8);

      await team.write(async (rows) => {
        await rows.removeMember(mailbox);
        await rows.addMail(mailRow(`${mailbox}-newest`, { toAgentId: mailbox, at: teamTime + 9 }));
        await rows.addMember(memberRow(mailbox, { createdAt: new Date(teamTime + 9).toISOString() }));
      });
      expect(await team.countUnread({ toAgentId: mailbox, since: new Date(teamTime + 9).toISOString() })).toBe(1);
      expect(await team.mail(ids[0] ?? '')).toBeDefined();
    });

    it('counts correctly under concurrent writes and reads in two processes', async () => {
      const mails = Array.from({ length: 40 }, (_, index) => mailRow(`${mailbox}-${index}`, { toAgentId: mailbox }));
      const stop = (index: number) => (index % 2 === 0 ? stores.store : stores.other).team;
      await Promise.all(mails.map((mail, index) => stop(index).write((rows) => rows.addMail(mail))));
      expect(await team.countUnread({ toAgentId: mailbox })).toBe(40);
      const read = mails.slice(0, 15);
      await Promise.all(
        [...read, ...read].map((mail, index) => stop(index).write((rows) => rows.markRead(mail.id, teamTime))),
      );
      expect(await team.countUnread({ toAgentId: mailbox })).toBe(25);
    });

    it.each(['x', Buffer.from('[1]').toString('base64url'), Buffer.from('["a","b"]').toString('base64url'), ''])(
      'refuses the cursor %j',
      async (cursor) => {
        const page = team.mailbox({ toAgentId: mailbox, includeRead: true, limit: 5, cursor });
        await expect(page).rejects.toMatchObject({
          code: 'INVALID_ARGUMENTS',
          message: expect.stringMatching(/cursor/),
        });
      },
    );
  });

  it("the user's mailbox is separate", async () => {
    const before = await team.countUnread({ toAgentId: null });
    await addMails(team, [mailToUser('for-person', { at: teamTime + 1000 })]);
    expect(await team.countUnread({ toAgentId: null })).toBe(before + 1);
    const page = await team.mailbox({ toAgentId: null, includeRead: true, limit: 1 });
    expect(page.items).toMatchObject([{ id: 'for-person', isForHuman: true }]);
    await team.write((rows) => rows.markRead('for-person', teamTime));
    expect(await team.countUnread({ toAgentId: null })).toBe(before);
  });

  describe('the same fault again', () => {
    const fault = (id: string) =>
      mailToUser(id, { escalation: { tool: 't', code: 'INTERNAL_ERROR', callId: 'c', isCritical: false } });

    it('is found by name and time, and raises the count', async () => {
      await addMails(team, [fault('fault-1'), fault('fault-2')]);
      await team.write(async (rows) => {
        await rows.addEscalation({ fault: 'f', mailId: 'fault-1', at: teamTime });
        await rows.addEscalation({ fault: 'f', mailId: 'fault-2', at: teamTime + 5 });
      });
      const find = (name: string, since: number) => team.write((rows) => rows.escalations(name, since));
      expect(await find('f', teamTime)).toEqual([{ mailId: 'fault-1' }, { mailId: 'fault-2' }]);
      expect(await find('f', teamTime + 1)).toEqual([{ mailId: 'fault-2' }]);
      expect(await find('f', teamTime + 6)).toEqual([]);
      expect(await find('g', 0)).toEqual([]);

      await team.write((rows) => rows.markRead('fault-1', teamTime));
      await team.write((rows) => rows.countEscalation(['fault-1', 'fault-2'], teamTime + 9));
      await team.write((rows) => rows.countEscalation([], teamTime + 99));
      const lastAt = new Date(teamTime + 9).toISOString();
      expect(await team.mail('fault-1')).toMatchObject({ isRead: true, escalation: { count: 2, lastAt } });
      expect(await team.mail('fault-2')).toMatchObject({ isRead: false, escalation: { count: 2, lastAt } });
    });

    it('reported concurrently is one mail with a count', async () => {
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? stores.store : stores.other).team.write(async (rows) => {
            const known = await rows.escalations('storm', 0);
            if (known.length > 0) {
              await rows.countEscalation(
                known.map((each) => each.mailId),
                teamTime,
              );
              return;
            }
            await rows.addMail(fault(`storm-${index}`));
            await rows.addEscalation({ fault: 'storm', mailId: `storm-${index}`, at: teamTime });
          }),
        ),
      );
      const known = await team.write((rows) => rows.escalations('storm', 0));
      expect(known).toHaveLength(1);
      expect(await team.mail(known[0]?.mailId ?? '')).toMatchObject({ escalation: { count: 12 } });
    });
  });
});

async function allPages(page: (cursor: string | undefined) => Promise<Page<Mail>>) {
  const ids: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const { items, cursor: following } = await page(cursor);
    ids.push(...items.map((item) => item.id));
    pages += 1;
    cursor = following ?? undefined;
  } while (cursor !== undefined);
  return { ids, pages };
}
