import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toIso } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createIndexer } from '../../src/knowledge/index/indexer.ts';
import { syncSource } from '../../src/knowledge/sync/sync-source.ts';
import { openDatabase, openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { callAnswers } from '../../src/team/calls/call-answers.ts';
import { closeCalls } from '../../src/team/calls/close-calls.ts';
import type { Mail } from '../../src/team/mail/mail.ts';
import { postMail } from '../../src/team/mail/send-mail.ts';
import { human } from '../../src/team/members/member.ts';
import { teamTasks } from '../../src/team/work/team-tasks.ts';
import { clockAhead, distantHolder, endedHolder } from '../support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { decision } from '../support/databases/test-decision.ts';
import { type DistantWork, startDistantProcess } from '../support/hubs/distant-process.ts';
import { memoryConnector } from '../support/knowledge/memory-connector.ts';
import { startEventServer } from '../support/servers/event-server.ts';
import { openTestTeamParts, type TestTeamParts } from '../support/team/test-team-parts.ts';
import { watchFor } from '../support/time/watch-for.ts';

const minute = 60_000;
const allThreads = { all: true, onlyUnread: false, onlyEscalations: false, limit: 9 };

describe.each(databaseKinds)('processes on machines whose clocks differ, on %s', (kind) => {
  let database: TestDatabase;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    database = await newTestDatabase(kind);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await database.remove();
  });

  async function start(work: Omit<DistantWork, 'db'>): Promise<ChildProcess> {
    const child = await startDistantProcess({ ...work, db: database.db });
    closing.push(() => kill(child));
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async function storeAhead(milliseconds: number): Promise<Store> {
    const options = { db: database.db, clock: clockAhead(milliseconds), logger: silentLogger };
    const store = await openStore({ ...options, holder: distantHolder('looker') });
    closing.push(() => store.close());
    return store;
  }

  /** Simulates a process that has been silent for some time: its lease is over by the database's clock, and was watched for long. */
  async function passTime(look: () => Promise<unknown>): Promise<void> {
    const opened = await openDatabase(database.db, silentLogger);
    await opened.write(({ db }) => sql`update leases set until = 1`.execute(db));
    await opened.close();
    await watchFor(20, look);
  }

  describe('a call', () => {
    let team: TestTeamParts;
    beforeEach(async () => {
      team = await openTestTeamParts(kind);
      await team.addMember('boss', { type: 'SUPERVISOR' });
      await team.addMember('worker', { supervisorId: 'boss' });
      database = { db: team.stores.db, remove: () => team.stores.remove() };
    });

    it.each([3, 10, -3])(
      'that runs is left alone by a process %s minutes ahead; one whose process is gone is closed',
      async (ahead) => {
        const caller = await start({ does: 'call', aheadMs: 0 });
        const { decisions, team: store } = await storeAhead(ahead * minute);
        const parts = { ...team.parts, decisions, store, clock: clockAhead(ahead * minute) };
        const inbox = async () =>
          (await store.mailbox({ toAgentId: 'boss', includeRead: true, limit: 9 })).items.length;
        const look = () => closeCalls(parts);
        expect(await look()).toEqual({ closedCalls: [], mails: 0 });
        expect(await inbox()).toBe(0);
        await kill(caller);
        const closed: string[] = [];
        await passTime(async () => closed.push(...(await look()).closedCalls));
        expect(closed).toEqual(['running']);
        expect(await inbox()).toBe(1);
      },
    );

    it('that an ended process left unfinished is closed once, even by two processes at the same time', async () => {
      const dead = await openStore({ db: database.db, clock: team.clock, logger: silentLogger, holder: endedHolder() });
      await dead.decisions.append(decision('left', { at: team.clock.now(), agentId: 'worker' }));
      // The process ends without closing its store, which would mark it as closed.
      closing.push(() => dead.close());
      const { decisions, team: store } = await storeAhead(10 * minute);
      const late = new Proxy(decisions, {
        get(target, name) {
          if (name !== 'unfinished') return Reflect.get(target, name, target).bind(target);
          return async () => {
            const seen = await target.unfinished();
            await closeCalls({ ...team.parts, clock: clockAhead(0) });
            return seen;
          };
        },
      });
      await closeCalls({ ...team.parts, decisions: late, store, clock: clockAhead(10 * minute) });
      const { entries } = await decisions.page({ callId: 'left' });
      expect(entries.map((entry) => entry.kind).sort()).toEqual(['error', 'invocation']);
    });

    it('with a key counts as running, even for a process 20 minutes ahead, until its own process ends', async () => {
      const call = { owner: 'worker', key: 'once', tool: 't', input: {} };
      const runner = await openStore({
        db: database.db,
        clock: team.clock,
        logger: silentLogger,
        holder: distantHolder('runner'),
      });
      await callAnswers({ ...team.parts, store: runner.team, clock: clockAhead(0) }).begin(call);
      const { team: store } = await storeAhead(20 * minute);
      const again = () => callAnswers({ ...team.parts, store, clock: clockAhead(20 * minute) }).begin(call);
      await expect(again()).rejects.toMatchObject({ code: 'TRANSIENT_ERROR' });
      // As long as it runs, it renews its lease.
      await runner.close();
      const codes: unknown[] = [];
      await passTime(() => again().catch((error) => codes.push(error.code)));
      expect(codes.at(-1)).toBe('INVALID_AGENT_STATE');
    });
  });

  it.each([10, -10])('a running sync is not taken over by a process %s minutes ahead', async (ahead) => {
    const syncer = await start({ does: 'sync', aheadMs: 0 });
    const store = await storeAhead(ahead * minute);
    const indexer = createIndexer({ logger: silentLogger });
    closing.push(() => indexer.close());
    const parts = { store: store.knowledge, indexer, clock: clockAhead(ahead * minute), logger: silentLogger };
    const chunking = { maxTokens: 99, overlapTokens: 9 };
    const sync = () => syncSource({ ...parts, chunking }, memoryConnector({ 'a.md': 'text' }));
    await expect(sync()).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('process ') });
    await kill(syncer);
    const reports: unknown[] = [];
    await passTime(async () => reports.push(await sync().catch(() => undefined)));
    // On a busy machine, an earlier look may already have synced.
    expect(reports).toContainEqual(expect.objectContaining({ added: 1 }));
  });

  it('a run is shown as running while its process runs, and as interrupted afterwards', async () => {
    const runner = await start({ does: 'run', aheadMs: 0 });
    // Machines that share a SQLite file have one clock.
    const { runs } = await storeAhead(kind === 'postgres' ? 10 * minute : 0);
    expect((await runs.get('running')).status).toBe('running');
    await kill(runner);
    await passTime(async () => expect((await runs.get('running')).status).toBe('interrupted'));
  });

  describe('what people wrote one after another', () => {
    const turns = [10, -10, 0, -10, 10, 0];
    let members: TestTeamParts;
    const parts = new Map<number, TestTeamParts['parts']>();
    beforeEach(async () => {
      members = await openTestTeamParts(kind);
      await members.addMember('worker', { createdAt: toIso(Date.now()) });
      database = { db: members.stores.db, remove: () => members.stores.remove() };
      for (const ahead of new Set(turns)) {
        const machineClock = clockAhead(ahead * minute);
        const store = await openStore({ db: database.db, machineClock, logger: silentLogger });
        closing.push(() => store.close());
        parts.set(ahead, { ...members.parts, store: store.team, clock: store.clock });
      }
    });
    const onTurn = (ahead: number) => parts.get(ahead) ?? members.parts;
    const send = (ahead: number, inReplyTo?: Mail) => {
      const by = onTurn(ahead);
      const posting = {
        from: human,
        toAgentId: 'worker',
        subject: String(ahead),
        body: 'Text',
        ...(inReplyTo && { inReplyTo }),
      };
      return by.store.write((rows) => postMail(by, rows, posting));
    };

    it('is in that order in a mailbox', async () => {
      const sent: string[] = [];
      for (const ahead of turns) sent.push((await send(ahead)).mailId);
      const { items } = await members.parts.store.mailbox({ toAgentId: 'worker', includeRead: true, limit: 9 });
      expect(items.map(({ id }) => id).reverse()).toEqual(sent);
      const since = toIso(Date.now() - minute);
      expect(await members.parts.store.countUnread({ toAgentId: 'worker', since })).toBe(turns.length);
    });

    it('is in that order in a thread, where no reply sorts before what it answers', async () => {
      const sent: string[] = [];
      for (const ahead of turns) {
        const original = await members.parts.store.mail(sent.at(-1) ?? '');
        sent.push((await send(ahead, original)).mailId);
      }
      const { items } = await members.parts.store.thread(sent[0] ?? '');
      expect(items.map(({ id }) => id)).toEqual(sent);
      const [thread] = (await members.parts.store.threads(allThreads)).items;
      expect(thread?.last.id).toBe(sent.at(-1));
    });

    it('is in that order in the comments of a task, and the receipts name the stored times', async () => {
      await members.addTask('task');
      const times: string[] = [];
      for (const [index, ahead] of turns.entries()) {
        const comment = await teamTasks(onTurn(ahead)).comment(human, { taskId: 'task', body: String(index) });
        times.push(comment.createdAt);
      }
      const comments = await members.parts.store.comments('task');
      expect(comments.map(({ body }) => body)).toEqual([...turns.keys()].map(String));
      expect(comments.map(({ createdAt }) => createdAt)).toEqual(times);
    });

    it.runIf(kind === 'postgres')('carries the time of the database', async () => {
      for (const ahead of turns) {
        const { timestamp } = await send(ahead);
        expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(minute);
      }
    });
  });

  it.each([10, -10])('an event of a process %s minutes ahead is sent at once', async (ahead) => {
    const team = await openTestTeamParts(kind, { eventTargets: [{ target: 'webhook:audit' }] });
    closing.push(() => team.stores.remove());
    const parts = { ...team.parts, clock: clockAhead(ahead * minute) };
    await parts.store.write((rows) =>
      postMail(parts, rows, { from: human, toAgentId: 'worker', subject: 'now', body: 'Text' }),
    );
    const due = { targets: ['webhook:audit'], now: clockAhead(0).now(), limit: 1 };
    const taken = await team.other.store.deliveries.take(due);
    expect(taken).toMatchObject([{ attempts: 0, nextAttemptAt: taken[0]?.createdAt }]);
  });

  it('120 webhooks of two processes are sent once each', async () => {
    const team = await openTestTeamParts(kind, { eventTargets: [{ target: 'webhook:audit' }] });
    closing.push(() => team.stores.remove());
    database = { db: team.stores.db, remove: async () => {} };
    const server = await startEventServer();
    closing.push(() => server.close());
    const parts = { ...team.parts, clock: clockAhead(0) };
    server.script(...Array.from({ length: 6 }, () => 'hang' as const));
    for (let index = 0; index < 120; index += 1) {
      const posting = { from: human, toAgentId: 'worker', subject: `mail ${index}`, body: 'Text' };
      await parts.store.write((rows) => postMail(parts, rows, posting));
    }
    const deliverers = [
      await start({ does: { deliver: server.url }, aheadMs: 0 }),
      await start({ does: { deliver: server.url }, aheadMs: 10 * minute }),
    ];
    await server.requested(120);
    // Each process checks several times what the other still holds.
    await Promise.all(deliverers.map((each) => saidTimes(each, 'looked', 2)));
    server.release();
    await vi.waitFor(async () => expect(await parts.store.deliveries.count()).toEqual({ pending: 0, dead: 0 }), {
      timeout: 60_000,
    });
    const ids = server.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(120);
    expect(new Set(ids).size).toBe(120);
  });
});

async function saidTimes({ stdout }: ChildProcess, word: string, times: number): Promise<void> {
  let said = '';
  for await (const chunk of stdout ?? []) {
    said += String(chunk);
    if (said.split(word).length > times) return;
  }
}
