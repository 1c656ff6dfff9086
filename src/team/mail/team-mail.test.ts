import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, plantedSecret, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { type Actor, human, NewMember } from '../members/member.ts';
import { newMail } from './mail.ts';
import { postMail } from './send-mail.ts';

describe.each(usualDatabaseKinds)('mail in %s', (kind) => {
  let test: TestTeam;
  let worker: Actor;
  let boss: Actor;
  beforeAll(async () => {
    test = await openTestTeam(kind, { eventTargets: [{ target: 'webhook:all' }] });
    worker = await add('worker');
    boss = await add('boss');
  });
  afterAll(() => test.remove());

  async function add(id: string): Promise<Actor> {
    const { member } = await test.team.members.add({ id, type: id === 'boss' ? 'SUPERVISOR' : 'WORKER' });
    return { kind: 'member', member };
  }

  function events() {
    return test.parts.store.deliveries.list({ limit: 100 });
  }

  it('reaches its recipient, with the authenticated sender', async () => {
    const { mail } = test.team;
    test.clock.time += 1_000;
    const sent = await mail.send(worker, { toAgentId: 'boss', subject: 'Task Blocked', body: `pass ${plantedSecret}` });
    const at = new Date(test.clock.now()).toISOString();
    expect(sent).toEqual({ mailId: expect.stringMatching(/^mail_/), timestamp: at });
    const inbox = await test.otherTeam.mail.inbox(boss);
    expect(inbox).toEqual({
      unreadCount: 1,
      cursor: null,
      mails: [
        newMail(
          { from: worker, toAgentId: 'boss', subject: 'Task Blocked', body: 'pass [removed]' },
          { id: sent.mailId, createdAt: at },
        ),
      ],
    });
    expect((await mail.inbox(worker)).mails).toEqual([]);
    const told = (await events()).items.filter(({ data }) => data.includes(sent.mailId));
    expect(told.map(({ target }) => target).sort()).toEqual(['webhook:all']);
    for (const { type, data } of told) {
      expect(type).toBe('mail.sent');
      expect(JSON.parse(data)).toEqual({
        mailId: sent.mailId,
        toAgentId: 'boss',
        isForHuman: false,
        subject: 'Task Blocked',
      });
    }
  });

  it('is marked as read once, by its reader', async () => {
    const { mail } = test.team;
    const { mailId } = await mail.send(worker, { toAgentId: 'boss', subject: 's', body: 'b' });
    test.clock.time += 1_000;
    const readAt = new Date(test.clock.now()).toISOString();
    expect(await mail.read(boss, mailId)).toMatchObject({ id: mailId, isRead: true, readAt });
    test.clock.time += 1_000;
    expect(await mail.read(boss, mailId)).toMatchObject({ isRead: true, readAt });
    expect((await mail.inbox(boss)).mails.map(({ id }) => id)).not.toContain(mailId);
    expect((await mail.inbox(boss, { includeRead: true })).mails.map(({ id }) => id)).toContain(mailId);
  });

  it('only its recipient can read or answer it; the user may look and leaves it unread', async () => {
    const { mail } = test.team;
    const { mailId } = await mail.send(worker, { toAgentId: 'boss', subject: 's', body: 'b' });
    await expect(mail.read(worker, mailId)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    const answer = { originalMailId: mailId, body: 'b' };
    await expect(mail.reply(worker, answer)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(mail.reply(human, answer)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await mail.read(human, mailId)).toMatchObject({ isRead: false });
    expect(await test.parts.store.mail(mailId)).toMatchObject({ isRead: false });
    await expect(mail.read(boss, 'mail_no')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    await expect(mail.reply(boss, { originalMailId: 'mail_no', body: 'b' })).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });

  it.each([
    ['neither', {}],
    ['both', { toAgentId: 'boss', toHuman: true }],
    ['only that it is not for the person', { toHuman: false }],
  ])('names one recipient, not %s', async (_, to) => {
    const before = (await events()).items.length;
    await expect(test.team.mail.send(worker, { ...to, subject: 's', body: 'b' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'Must specify either `toAgentId` or `toHuman: true`',
    });
    expect((await events()).items).toHaveLength(before);
  });

  it('without a recipient is rejected, and from the user to the user too', async () => {
    const { mail } = test.team;
    const draft = { subject: 's', body: 'b' };
    await expect(mail.send(worker, { ...draft, toAgentId: 'nobody' })).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    await expect(mail.send(human, { ...draft, toHuman: true })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('goes to a member that another process has just added', async () => {
    await test.otherTeam.members.add(NewMember.parse({ id: 'fresh' }));
    const sent = await test.team.mail.send(worker, { toAgentId: 'fresh', subject: 's', body: 'b' });
    expect(sent.mailId).toMatch(/^mail_/);
    await test.team.members.remove('fresh');
  });

  it.each([
    ['Need Help', 'Re: Need Help'],
    ['Re: Need Help', 'Re: Need Help'],
    ['RE: Need Help', 'RE: Need Help'],
    ['re:Need Help', 're:Need Help'],
    ['Reading list', 'Re: Reading list'],
  ])('a reply to "%s" has the subject "%s", goes to the sender and stays in the thread', async (subject, expected) => {
    const { mail } = test.team;
    const first = await mail.send(worker, { toAgentId: 'boss', subject, body: 'b' });
    test.clock.time += 1;
    const reply = await mail.reply(boss, { originalMailId: first.mailId, body: 'on it' });
    const [received] = (await mail.inbox(worker)).mails;
    expect(received).toMatchObject({
      id: reply.mailId,
      subject: expected,
      threadId: first.mailId,
      inReplyTo: first.mailId,
      fromAgentId: 'boss',
      fromAgentType: 'SUPERVISOR',
      toAgentId: 'worker',
    });
    test.clock.time += 1;
    const back = await mail.reply(worker, { originalMailId: reply.mailId, body: 'thanks' });
    expect(await test.parts.store.mail(back.mailId)).toMatchObject({
      subject: expected,
      threadId: first.mailId,
      inReplyTo: reply.mailId,
      toAgentId: 'boss',
    });
  });

  it('goes to the user and back, and the user sees the unread count', async () => {
    const { mail } = test.team;
    const asked = await mail.send(worker, { toHuman: true, subject: 'May I?', body: 'b' });
    expect(await mail.unreadForHuman()).toBe(1);
    expect((await mail.threads({})).items).toMatchObject([{ threadId: asked.mailId, unread: 1, mails: 1 }]);
    expect((await mail.thread(asked.mailId)).items).toMatchObject([{ isRead: false }]);
    expect(await mail.unreadForHuman()).toBe(1);
    const { readAt } = await mail.readThread(asked.mailId);
    expect((await mail.thread(asked.mailId)).items).toMatchObject([{ isRead: true, readAt }]);
    expect(await mail.unreadForHuman()).toBe(0);
    test.clock.time += 1;
    const answer = await mail.reply(human, { originalMailId: asked.mailId, body: 'yes' });
    const read = await mail.read(worker, answer.mailId);
    expect(read).toMatchObject({ fromAgentId: null, fromAgentType: 'HUMAN', subject: 'Re: May I?', body: 'yes' });
    test.clock.time += 1;
    const thanks = await mail.reply(worker, { originalMailId: answer.mailId, body: 'thanks' });
    expect(await test.parts.store.mail(thanks.mailId)).toMatchObject({ isForHuman: true, toAgentId: null });
    const newest = await mail.thread(asked.mailId, { limit: 2 });
    expect(newest.items.map(({ body }) => body)).toEqual(['yes', 'thanks']);
    const older = await mail.thread(asked.mailId, { limit: 2, cursor: newest.cursor ?? '' });
    expect([older.items.map(({ body }) => body), older.cursor]).toEqual([['b'], null]);
    await expect(mail.readThread('mail_no')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    await expect(mail.thread('mail_no')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('from the hub, or from a removed member, cannot be answered', async () => {
    const { mail, members } = test.team;
    const system = await test.parts.store.write((rows) =>
      postMail(test.parts, rows, { from: { kind: 'system' }, toAgentId: 'worker', subject: 's', body: 'b' }),
    );
    const state = { code: 'INVALID_AGENT_STATE' };
    await expect(mail.reply(worker, { originalMailId: system.mailId, body: 'b' })).rejects.toMatchObject(state);
    const leaver = await add('leaver');
    const { mailId } = await mail.send(leaver, { toAgentId: 'worker', subject: 's', body: 'b' });
    await members.remove('leaver');
    await expect(mail.reply(worker, { originalMailId: mailId, body: 'b' })).rejects.toMatchObject(state);
    test.clock.time += 1_000;
    await add('leaver');
    await expect(mail.reply(worker, { originalMailId: mailId, body: 'b' })).rejects.toMatchObject(state);
  });

  it('to a removed member is not shown to the next member of the same name', async () => {
    const { mail, members } = test.team;
    await add('twice');
    const { mailId } = await mail.send(worker, { toAgentId: 'twice', subject: 's', body: 'b' });
    await members.remove('twice');
    test.clock.time += 1_000;
    const next = await add('twice');
    expect(await mail.inbox(next, { includeRead: true })).toEqual({ mails: [], unreadCount: 0, cursor: null });
    await expect(mail.read(next, mailId)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(mail.reply(next, { originalMailId: mailId, body: 'b' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    await members.remove('twice');
  });

  it('is listed in pages of at most a hundred, newest first', async () => {
    const { mail, members } = test.team;
    const reader = await add('reader');
    for (let index = 0; index < 105; index += 1) {
      test.clock.time += 1;
      await mail.send(worker, { toAgentId: 'reader', subject: `${index}`, body: 'b' });
    }
    const first = await mail.inbox(reader, { limit: 1_000 });
    expect(first).toMatchObject({ unreadCount: 105 });
    expect(first.mails).toHaveLength(100);
    const second = await mail.inbox(reader, { ...(first.cursor !== null && { cursor: first.cursor }) });
    const subjects = [...first.mails, ...second.mails].map(({ subject }) => Number(subject));
    expect(subjects).toEqual(Array.from({ length: 105 }, (_, index) => 104 - index));
    expect(second.cursor).toBe(null);
    await members.remove('reader');
  });

  it('with one key is sent once, however often two processes repeat it', async () => {
    const { mail, members } = test.team;
    const reader = await add('once');
    const draft = { toAgentId: 'once', subject: 's', body: 'b' };
    const calls = Array.from({ length: 10 }, (_, index) =>
      (index % 2 ? test.otherTeam : test.team).mail.send(worker, draft, { idempotencyKey: 'k' }),
    );
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ mailId }) => mailId)).size).toBe(1);
    expect((await mail.inbox(reader)).mails).toHaveLength(1);
    await expect(mail.send(worker, { ...draft, body: 'other' }, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    expect((await mail.send(boss, draft, { idempotencyKey: 'k' })).mailId).not.toBe(answers[0]?.mailId);
    await members.remove('once');
    expect(await mail.send(worker, draft, { idempotencyKey: 'k' })).toEqual(answers[0]);
  });
});
