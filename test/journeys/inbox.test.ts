import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunStore } from '../../src/engine/run-store.ts';
import { noUsage } from '../../src/engine/usage.ts';
import type { FirstSteps, InboxItem, InboxKind, ItemOf } from '../../src/inbox/inbox.ts';
import type { Mail } from '../../src/team/mail/mail.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { databaseKinds, newTestDatabase } from '../support/databases/test-database.ts';
import { autonomousAgent } from '../support/hubs/a2a-hub.ts';
import { type ObedientHub, openObedientHub } from '../support/hubs/obedient-hub.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { addMails, mailToUser, taskRow, teamTime } from '../support/team/team-rows.ts';

let ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
  ends = [];
});

async function obedient(options: Parameters<typeof openObedientHub>[0] = {}): Promise<ObedientHub> {
  const zoo = await openObedientHub({
    agents: [autonomousAgent('clerk', { name: 'Clerk', tools: ['send', 'wipe', 'count'] })],
    ...options,
  });
  ends.push(() => zoo.end());
  return zoo;
}

async function served(options: Parameters<typeof serveTestHub>[0] = {}): Promise<TestHub> {
  const hub = await serveTestHub(options);
  ends.push(() => hub.end());
  return hub;
}

async function inbox(hub: TestHub): Promise<InboxItem[]> {
  const { status, body } = await hub.call<{ items: InboxItem[] }>('GET', '/api/inbox');
  expect(status).toBe(200);
  return body.items;
}

async function only<K extends InboxKind>(hub: TestHub, kind: K): Promise<ItemOf<K>[]> {
  return (await inbox(hub)).filter((item): item is ItemOf<K> => item.kind === kind);
}

describe.each(databaseKinds)('the inbox in %s', (kind) => {
  const database = async () => {
    const { db } = await newTestDatabase(kind);
    return 'url' in db ? { db: { url: db.url } } : { db: { path: db.path ?? '' } };
  };

  it('lists a call that waits, with its whole input, until it is answered', async () => {
    const { hub, sent } = await obedient(await database());
    const input = { to: 'bob', text: 'x'.repeat(5_000) };
    const chat = await hub.hub.chats.create({ agentId: 'clerk', message: `send ${JSON.stringify(input)}` });
    const item = await vi.waitFor(async () => {
      const [found] = await only(hub, 'approval');
      if (!found) throw new Error('there is no approval yet');
      return found;
    });
    expect(item).toMatchObject({
      title: 'Clerk wants to call send',
      urgency: 'high',
      link: `/chat/${chat.id}`,
      settle: { chatId: chat.id, agentId: 'clerk', tool: 'send', input, outside: [] },
    });
    const path = `/api/chats/${chat.id}/approvals/${item.settle.toolUseId}`;
    expect((await hub.call('POST', path, { body: { answer: 'approve' } })).status).toBe(204);
    await vi.waitFor(async () => expect(await inbox(hub)).toEqual([]));
    await vi.waitFor(() => expect(sent).toEqual([input]));
  });

  it('lists reviews for the user only, and no mail beside them', async () => {
    const hub = await served(await database());
    const post = (path: string, body: object) => hub.call<{ id: string }>('POST', path, { body });
    await post('/api/team/members', { id: 'lead', type: 'SUPERVISOR' });
    await post('/api/team/members', { id: 'led', type: 'WORKER', supervisorId: 'lead' });
    await post('/api/team/members', { id: 'free', type: 'WORKER' });
    const taskOf = async (assigneeId: string) => {
      const { body } = await post('/api/tasks', { title: `Work of ${assigneeId}`, assigneeId });
      for (const status of ['IN_PROGRESS', 'REVIEW'])
        await hub.hub.execute({
          caller: await caller(hub, assigneeId),
          tool: 'mcp__task__update_status',
          input: { taskId: body.id, status },
        });
      return body.id;
    };
    await taskOf('led');
    const mine = await taskOf('free');
    expect(await inbox(hub)).toMatchObject([
      {
        kind: 'review',
        title: 'Work of free',
        why: 'free asks for your review.',
        link: `/team/tasks/${mine}`,
        settle: { taskId: mine, assigneeId: 'free' },
      },
    ]);
    // The user's own tasks are the user's to review, whoever leads the worker.
    expect((await post(`/api/tasks/${mine}/approve`, {})).status).toBe(200);
    expect(await inbox(hub)).toEqual([]);
  });

  it('lists unread mail to the user, escalations first, and none between members', async () => {
    const hub = await served(await database());
    await hub.call('POST', '/api/team/members', { body: { id: 'one', type: 'WORKER' } });
    await hub.call('POST', '/api/team/members', { body: { id: 'two', type: 'WORKER' } });
    const send = async (input: object) =>
      hub.hub.execute({
        caller: await caller(hub, 'one'),
        tool: 'mcp__mail__send',
        input: { body: 'The secret body.', ...input },
      });
    await hub.hub.team.escalate({
      member: await hub.hub.team.members.acting('one'),
      tool: 'mcp__mail__read',
      callId: 'call-1',
      code: 'INTERNAL_ERROR',
      message: 'It broke.',
      wasAccepted: true,
    });
    await send({ toHuman: true, subject: 'A question' });
    await send({ toAgentId: 'two', subject: 'Between us' });
    const items = await only(hub, 'mail');
    expect(
      items.map(({ title, urgency }) => [title.includes('question') ? 'question' : 'escalation', urgency]),
    ).toEqual([
      ['escalation', 'high'],
      ['question', 'normal'],
    ]);
    expect(JSON.stringify(items)).not.toContain('The secret body.');
    for (const { settle } of items) await hub.call('POST', `/api/mail/threads/${settle.threadId}/read`, { body: {} });
    expect(await inbox(hub)).toEqual([]);
  });

  it('lists a failed answer until it is dismissed, or the chat goes on', async () => {
    let isBroken = true;
    const { hub, talk } = await obedient({
      ...(await database()),
      script: () => (isBroken ? { status: 400, body: { error: { message: 'No such model.' } } } : undefined) as never,
    });
    const { chatId } = await talk('clerk', 'count');
    const [item] = await only(hub, 'failure');
    expect(item).toMatchObject({
      title: 'Clerk: answer failed',
      link: `/chat/${chatId}`,
      settle: { what: 'chat', chatId, isModelAtFault: true },
    });
    const dismissed = (ids: unknown) => hub.call('POST', '/api/inbox/dismissed', { body: { ids } });
    expect((await dismissed([item?.id])).status).toBe(204);
    expect(await inbox(hub)).toEqual([]);
    expect((await hub.call('DELETE', `/api/inbox/dismissed/${encodeURIComponent(item?.id ?? '')}`)).status).toBe(204);
    expect(await inbox(hub)).toHaveLength(1);
    isBroken = false;
    await talk('clerk', 'count', { chatId });
    expect(await inbox(hub)).toEqual([]);
    expect((await dismissed([])).status).toBe(400);
    expect((await dismissed(['x'.repeat(501)])).status).toBe(400);
  });

  it('lists a failed answer with its message, which is tried again on its own branch', async () => {
    let isBroken = false;
    const { hub, talk } = await obedient({
      ...(await database()),
      script: () => (isBroken ? { status: 400, body: { error: { message: 'No such model.' } } } : { text: 'Fine.' }),
    });
    const { chatId } = await talk('clerk', 'The first question');
    const { chats, store } = hub.hub;
    const first = await store.chats.lastMessage(chatId);
    isBroken = true;
    const { messageId } = await chats.send(chatId, { text: 'Another question', replaces: first?.messageId });
    await vi.waitFor(async () =>
      expect(await only(hub, 'failure')).toMatchObject([{ settle: { what: 'chat', chatId, messageId } }]),
    );
    await chats.chooseBranch(chatId, first?.messageId ?? '');
    expect(await store.chats.lastMessage(chatId)).toEqual(first);
    isBroken = false;
    const path = `/api/chats/${chatId}/retry`;
    expect((await hub.call('POST', path, { body: { messageId } })).status).toBe(202);
    expect(await store.chats.lastMessage(chatId)).toMatchObject({ text: 'Another question' });
    await vi.waitFor(async () => expect(await inbox(hub)).toEqual([]));
    expect((await hub.call('POST', path, { body: { messageId: 'none' } })).status).toBe(404);
  });

  it('lists a run that stopped at a limit, like one that failed', async () => {
    const hub = await served(await database());
    await addRuns(hub, ['budget', 'max-ticks', 'aborted', 'completed']);
    // Both may have ended in the same millisecond.
    const items = (await inbox(hub)).toSorted((one, other) => one.title.localeCompare(other.title));
    expect(items.map(({ title, why, settle }) => [title, why, settle])).toEqual([
      [
        'clerk: run stopped at its tick limit',
        'Reason 1',
        { what: 'run', runId: 'run_1', canRetry: false, isModelAtFault: false },
      ],
      [
        'clerk: run stopped by its budget',
        'Reason 0',
        { what: 'run', runId: 'run_0', canRetry: false, isModelAtFault: false },
      ],
    ]);
  });

  it('shows older failures and those of other kinds once the newest are dismissed', async () => {
    const hub = await served(await database());
    await addRuns(
      hub,
      Array.from({ length: 61 }, () => 'failed'),
    );
    const sync = { startedAt: Date.now(), outcome: 'failed', message: 'Gone.', report: null } as const;
    await hub.hub.store.knowledge.sources.saveState('git:gone', { ...sync, finishedAt: Date.now() });
    const { team } = hub.hub.store;
    for (const [target, count] of [['handler:quiet', 1] as const, ['handler:loud', 60] as const]) {
      await team.write(async (rows) => {
        for (let number = 0; number < count; number += 1)
          await rows.addEvent({ id: `${target} ${number}`, type: 'mail.sent', data: '{}', at: Date.now() }, [target]);
      });
      for (const { id } of await team.deliveries.take({ targets: [target], now: Date.now(), limit: 100 }))
        await team.deliveries.failed(id, { error: 'No reply.', nextAttemptAt: null });
    }
    const read = async () => (await hub.call<{ items: InboxItem[]; hasMore: boolean }>('GET', '/api/inbox')).body;
    const runsOf = (items: readonly InboxItem[]) => items.filter(({ id }) => id.startsWith('run:'));
    const before = await read();
    expect([before.items.length, before.hasMore]).toEqual([50, true]);
    await hub.call('POST', '/api/inbox/dismissed', { body: { ids: runsOf(before.items).map(({ id }) => id) } });
    const after = await read();
    expect(after.hasMore).toBe(false);
    expect(after.items.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        'The sync of git:gone failed',
        '1 event was not delivered to handler:quiet',
        '60 events were not delivered to handler:loud',
      ]),
    );
    expect(runsOf([...before.items, ...after.items])).toHaveLength(61);
  });

  it('lists your reviews behind any number of others', async () => {
    const hub = await served(await database());
    await hub.call('POST', '/api/team/members', { body: { id: 'lead', type: 'SUPERVISOR' } });
    const inReview = (createdBy: string | null, second: number) => {
      const at = new Date(teamTime + second * 1_000).toISOString();
      return taskRow(`task_${second}`, { state: 'REVIEW', createdBy, createdAt: at, updatedAt: at, stateSince: at });
    };
    await hub.hub.store.team.write(async (rows) => {
      for (let second = 0; second < 320; second += 1) await rows.addTask(inReview(second < 60 ? null : 'lead', second));
    });
    const { body } = await hub.call<{ items: InboxItem[]; hasMore: boolean }>('GET', '/api/inbox');
    expect(body.hasMore).toBe(true);
    expect(body.items.map(({ link }) => link)).toEqual(
      Array.from({ length: 50 }, (_, index) => `/team/tasks/task_${59 - index}`),
    );
  });

  it('lists mail behind any number of mails about reviews', async () => {
    const hub = await served(await database());
    const subjects = ['A question', ...Array.from({ length: 60 }, () => 'Task ready for review: It')];
    await addMails(hub.hub.store.team, unreadMails(subjects));
    const { body } = await hub.call<{ items: InboxItem[]; hasMore: boolean }>('GET', '/api/inbox');
    expect(body).toMatchObject({ hasMore: false, items: [{ title: 'A question' }] });
  });

  it('stays small with 2,000 unread mails', async () => {
    const hub = await served(await database());
    const subjects = Array.from({ length: 2_000 }, (_, number) => `Mail ${number}`);
    await addMails(hub.hub.store.team, unreadMails(subjects));
    const { body, text } = await hub.call<{ items: InboxItem[]; hasMore: boolean }>('GET', '/api/inbox');
    expect(body).toMatchObject({ hasMore: true, items: { length: 50 } });
    expect(body.items[0]?.title).toBe('Mail 1999');
    expect(text.length).toBeLessThan(30_000);
  });
});

const changing = resolve(import.meta.dirname, '../support/servers/changing-server.ts');

describe('the inbox', () => {
  it('lists tools that a server changed until they are accepted, and a server that is down', async () => {
    const hub = await served();
    const server = { transport: 'stdio', command: process.execPath, args: [changing, hub.folder], trust: 'first-use' };
    await hub.call('POST', '/api/servers', { body: { name: 'files', definition: server } });
    await hub.call('POST', '/api/servers/files/connect', { body: {} });
    for (const tool of await only(hub, 'tools')) await accept(hub, tool);
    expect(await inbox(hub)).toEqual([]);
    const called = await hub.call('POST', '/api/tools/mcp__files__change/call', { body: { input: {} } });
    expect(called.status).toBe(200);
    const item = await vi.waitFor(async () => {
      const [found] = await only(hub, 'tools');
      if (!found) throw new Error('no tool is held yet');
      return found;
    });
    expect(item).toMatchObject({
      title: '1 changed tool from files',
      urgency: 'high',
      link: '/servers/files',
      settle: { server: 'files', tools: ['append'] },
    });
    await accept(hub, item);
    expect(await inbox(hub)).toEqual([]);

    const broken = { transport: 'stdio', command: join(hub.folder, 'no-such-program'), args: [] };
    await hub.call('POST', '/api/servers', { body: { name: 'broken', definition: broken } });
    expect((await hub.call('POST', '/api/servers/broken/connect', { body: {} })).status).toBe(503);
    expect(await inbox(hub)).toMatchObject([
      { kind: 'failure', title: 'The server broken is down', settle: { what: 'server', server: 'broken' } },
    ]);
  });

  it('lists a failed sync', async () => {
    const hub = await served();
    await hub.call('POST', '/api/knowledge/sources', {
      body: { type: 'git', name: 'gone', settings: { url: join(hub.folder, 'no-repository') } },
    });
    await hub.call('POST', '/api/knowledge/sync', { body: { target: 'git:gone' } });
    await vi.waitFor(
      async () =>
        expect(await inbox(hub)).toMatchObject([
          { kind: 'failure', title: 'The sync of git:gone failed', settle: { what: 'source', source: 'git:gone' } },
        ]),
      { timeout: 20_000 },
    );
  });

  it('is for the owner alone', async () => {
    const hub = await served();
    const { secret } = await hub.hub.callers.createKey({ name: 'editor' });
    const headers = { authorization: `Bearer ${secret}` };
    expect((await hub.call('GET', '/api/inbox', { headers })).status).toBe(403);
    expect((await hub.call('GET', '/api/inbox', { isAnonymous: true })).status).toBe(401);
  });
});

describe('the first steps', () => {
  it('fill themselves in from what happens', async () => {
    const { hub, talk } = await obedient();
    const steps = async () => (await hub.call<FirstSteps>('GET', '/api/first-steps')).body;
    expect(await steps()).toMatchObject({ isPutAway: false, model: false, clients: [], firstCallAt: null });
    const client = await connectV1({ url: `${hub.server.url}/mcp` });
    ends.push(() => client.close());
    const tools = await client.toolNames();
    await vi.waitFor(async () =>
      expect((await steps()).clients).toEqual([
        {
          name: 'journey',
          version: '1.0.0',
          agentId: null,
          tools: tools.length,
          at: expect.any(Number),
          clientId: null,
        },
      ]),
    );
    expect((await steps()).firstCallAt).toBeNull();
    await client.call('agent_zoo_get_agent', { agentId: 'nobody' });
    expect((await steps()).firstCallAt).toBeNull();
    await client.call('agent_zoo_list_agents', {});
    await vi.waitFor(async () => expect((await steps()).firstCallAt).toEqual(expect.any(Number)));
    await talk('clerk', 'count');
    expect(await steps()).toMatchObject({ model: true, knowledge: false });
    await hub.call('POST', '/api/inbox/dismissed', { body: { ids: ['first-steps'] } });
    expect((await steps()).isPutAway).toBe(true);
    await hub.call('DELETE', '/api/inbox/dismissed/first-steps');
    expect((await steps()).isPutAway).toBe(false);
  });
});

/** Adds runs of an agent that is not in the hub, each with its end. */
async function addRuns(hub: TestHub, ends: readonly Parameters<RunStore['finish']>[1]['status'][]): Promise<void> {
  const { runs } = hub.hub.store;
  const nothing = { ticks: 0, usage: noUsage, cost: 0, messages: [], calls: [] };
  for (const [number, status] of ends.entries()) {
    const id = `run_${number}`;
    await runs.begin({ id, agentId: 'clerk', model: 'local/small', title: 'Count', messages: [] });
    await runs.finish(id, { ...nothing, status, reason: `Reason ${number}`, error: null });
  }
}

/** Mails to the user, the oldest first. */
function unreadMails(subjects: readonly string[]): Mail[] {
  return subjects.map((subject, number) =>
    mailToUser(`mail_${number}`, { subject, body: 'x'.repeat(2_000), at: teamTime + number * 1_000 }),
  );
}

async function caller(hub: TestHub, memberId: string) {
  const { body } = await hub.call<{ token: string }>('POST', `/api/team/members/${memberId}/token`, { body: {} });
  return hub.hub.memberCaller('mcp', { token: body.token });
}

async function accept(hub: TestHub, { settle }: ItemOf<'tools'>): Promise<void> {
  const { status } = await hub.call('POST', `/api/servers/${settle.server}/accept`, { body: {} });
  expect(status).toBe(200);
}
