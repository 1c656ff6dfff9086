import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { addMails, mailRow, mailToUser, teamTime } from '../../../test/support/team/team-rows.ts';
import type { TeamReader, TeamStore } from '../team.store.ts';

type ThreadQuery = Parameters<TeamReader['threads']>[0];
const everything: ThreadQuery = { all: true, onlyUnread: false, onlyEscalations: false, limit: 100 };
const escalation = { tool: 't', code: 'INTERNAL_ERROR', callId: 'c', isCritical: false };

describe.each(databaseKinds)('threads in %s', (kind) => {
  let stores: TestStores;
  let team: TeamStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    team = stores.store.team;
    await addMails(team, [
      mailRow('order', { subject: 'The Order', at: teamTime + 1 }),
      mailToUser('answer', { threadId: 'order', subject: 'Re: The Order', body: 'Fünf ÄPFEL', at: teamTime + 9 }),
      mailRow('between', { fromAgentId: 'a', fromAgentType: 'WORKER', toAgentId: 'b', at: teamTime + 3 }),
      mailToUser('fault', { escalation, at: teamTime + 5 }),
      mailRow('to-boss', {
        fromAgentId: 'a',
        fromAgentType: 'WORKER',
        toAgentId: 'boss',
        escalation,
        at: teamTime + 7,
      }),
      mailRow('notice', { fromAgentType: 'SYSTEM', toAgentId: 'b', at: teamTime + 2 }),
      mailToUser('read', { at: teamTime + 4 }),
    ]);
    await team.write((rows) => rows.markRead('read', teamTime + 6));
  });
  afterAll(() => stores.remove());

  const ids = async (query: Partial<ThreadQuery>) =>
    (await stores.other.team.threads({ ...everything, ...query })).items.map((thread) => thread.threadId);

  it('a thread shows its first subject, its newest mail and its participants', async () => {
    const { items } = await team.threads(everything);
    expect(items[0]).toEqual({
      threadId: 'order',
      subject: 'The Order',
      participants: [null, 'w'],
      mails: 2,
      unread: 1,
      last: await team.mail('answer'),
      hasEscalation: false,
    });
    expect(items.find((thread) => thread.threadId === 'notice')).toMatchObject({ participants: ['b'], unread: 0 });
    expect(items.find((thread) => thread.threadId === 'read')).toMatchObject({ participants: ['w', null], unread: 0 });
  });

  it.each<[Partial<ThreadQuery>, string[]]>([
    [{}, ['order', 'to-boss', 'fault', 'read', 'between', 'notice']],
    [{ all: false }, ['order', 'fault', 'read']],
    [{ onlyUnread: true }, ['order', 'fault']],
    [{ all: false, onlyUnread: true }, ['order', 'fault']],
    [{ onlyEscalations: true }, ['to-boss', 'fault']],
    [{ all: false, onlyEscalations: true }, ['fault']],
    [{ onlyUnread: true, onlyEscalations: true }, ['fault']],
    [{ text: 'order' }, ['order']],
    [{ text: 'ORDER äpfel' }, ['order']],
    [{ text: 'order birnen' }, []],
    [{ text: 'body of' }, ['order', 'to-boss', 'fault', 'read', 'between', 'notice']],
    [{ text: 'body of', all: false, onlyEscalations: true }, ['fault']],
    [{ text: '  ' }, ['order', 'to-boss', 'fault', 'read', 'between', 'notice']],
    [{ text: '100%' }, []],
    [{ text: 'nul\0' }, []],
  ])('with %j are %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it.each(['', 'body'])('are paged, with the text %j', async (text) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await team.threads({ ...everything, text, limit: 2, cursor });
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map((thread) => thread.threadId));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(await ids({}));
  });

  it('a late mail by a clock that is behind is the newest', async () => {
    await addMails(team, [mailToUser('clock', { at: teamTime - 100 })]);
    await addMails(team, [mailRow('behind', { threadId: 'clock', at: teamTime - 200 })]);
    const { items } = await team.threads({ ...everything, text: 'about clock' });
    expect(items).toMatchObject([{ mails: 2, last: { id: 'behind' }, participants: ['w', null] }]);
  });

  it('concurrent replies are all counted', async () => {
    await addMails(team, [mailRow('busy', { at: teamTime - 1000 })]);
    const answers = Array.from({ length: 12 }, (_, index) =>
      mailToUser(`busy-${index}`, { threadId: 'busy', fromAgentId: `m${index % 3}`, at: teamTime - 999 + index }),
    );
    await Promise.all(
      answers.map((mail, index) =>
        (index % 2 === 0 ? stores.store : stores.other).team.write((rows) => rows.addMail(mail)),
      ),
    );
    await team.write(async (rows) => {
      await rows.markRead('busy-0', teamTime);
      await rows.markRead('busy', teamTime);
    });
    const { items } = await team.threads({ ...everything, text: 'about busy' });
    const last = (await team.thread('busy')).items.at(-1);
    expect(items).toMatchObject([{ mails: 13, unread: 11, last: { id: last?.id } }]);
    expect(items[0]?.participants.toSorted()).toEqual(['m0', 'm1', 'm2', 'w', null].toSorted());
  });

  it('a long search stops and returns a cursor to continue', async () => {
    const team = stores.other.team;
    const stack = { toAgentId: 'stack' };
    await addMails(team, [mailRow('needle', { ...stack, at: teamTime - 20_000 })]);
    for (let start = 0; start < 2200; start += 1100) {
      await addMails(
        team,
        Array.from({ length: 1100 }, (_, index) =>
          mailRow(`many-${start + index}`, { ...stack, subject: 'hay', body: 'hay', at: teamTime + start + index }),
        ),
      );
    }
    const first = await team.threads({ ...everything, text: 'needle' });
    expect(first.items).toEqual([]);
    const second = await team.threads({ ...everything, text: 'needle', cursor: first.cursor ?? '' });
    expect(second).toMatchObject({ items: [{ threadId: 'needle' }], cursor: null });
  });
});
