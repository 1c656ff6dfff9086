import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endedHolder } from '../../../test/support/databases/holders.ts';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { startEventServer, type TestEventServer } from '../../../test/support/servers/event-server.ts';
import {
  capturedLogger,
  openTestTeamParts,
  plantedSecret,
  type TestTeamParts,
} from '../../../test/support/team/test-team-parts.ts';
import { silentLogger } from '../../base/logger.ts';
import { webhookSender } from '../../delivery/webhooks.ts';
import { backupStore, restoreStore } from '../../store/backup.ts';
import { openStore } from '../../store/open-store.ts';
import { postMail } from '../mail/send-mail.ts';
import { human } from '../members/member.ts';
import type { TeamParts } from '../team-parts.ts';
import type { EventSender, TeamEvent } from './deliver-target.ts';
import type { Delivery } from './deliveries.contract.ts';
import { type TeamEvents, teamEvents } from './team-events.ts';

const delivererScript = fileURLToPath(new URL('../../../test/support/team/event-deliverer.ts', import.meta.url));
const minute = 60_000;
const hour = 60 * minute;

describe.each(usualDatabaseKinds)('events on %s', (kind) => {
  let team: TestTeamParts;
  let server: TestEventServer;
  const running: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    const eventTargets = [{ target: 'webhook:audit' }, { target: 'webhook:other', events: ['task.moved'] }];
    team = await openTestTeamParts(kind, { eventTargets });
    server = await startEventServer();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.close()));
    await server.close();
    await team.stores.remove();
  });

  it('a mail reaches handlers and webhooks with the documented data, but no target for other types', async () => {
    const events = open();
    const handled: TeamEvent[] = [];
    events.on('mail.sent', (event) => void handled.push(event));
    events.on('task.moved', (event) => void handled.push(event));
    await events.registered();
    start(events);
    const mailId = await sendMail('Need Help');
    await allDone(2);
    expect(handled).toMatchObject([
      { type: 'mail.sent', data: { mailId, toAgentId: 'worker-1', isForHuman: false, subject: 'Need Help' } },
    ]);
    expect(server.requests.map(({ headers }) => headers['webhook-id'])).toEqual([handled[0]?.id]);
    expect(JSON.parse(server.requests[0]?.body ?? '').data).toEqual(handled[0]?.data);
    expect(await events.count()).toEqual({ pending: 0, dead: 0 });
  });

  it('events from before the start and from other processes are delivered too', async () => {
    await sendMail('before');
    start(open());
    await allDone(1);
    await sendMail('elsewhere', team.other);
    // Even without a word from the other process, the next look finds it.
    await advanceAsleep(3_000);
    await allDone(2);
    expect(server.requests).toHaveLength(2);
  });

  it('a process without handlers leaves the events of a process with handlers alone', async () => {
    start(open(team.other));
    const events = open();
    const handled = new Set<string>();
    events.on('mail.sent', ({ id }) => void handled.add(id));
    await events.registered();
    const parts = [team.parts, team.other];
    for (let index = 0; index < 60; index += 1) await sendMail(`mail ${index}`, parts[index % 2]);
    await until(() => expect(server.requests).toHaveLength(60));
    start(events);
    await allDone(120);
    expect(handled.size).toBe(60);
  });

  it('an event without handlers leaves no pending deliveries', async () => {
    start(open());
    await sendMail('for nobody');
    await allDone(1);
  });

  it('after a restart a handler gets the events it missed; a named one shares them', async () => {
    const heard: string[] = [];
    const first = open();
    first.on('mail.sent', ({ data }) => void heard.push(`first ${data.subject}`));
    first.on('mail.sent', ({ data }) => void heard.push(`named ${data.subject}`), { subscriber: 'audit' });
    await first.registered();
    await first.start().close();
    await sendMail('missed');
    const second = open(team.other);
    second.on('mail.sent', ({ data }) => void heard.push(`second ${data.subject}`));
    second.on('mail.sent', ({ data }) => void heard.push(`named ${data.subject}`), { subscriber: 'audit' });
    await second.registered();
    start(second);
    await allDone(3);
    expect(heard.sort()).toEqual(['named missed', 'second missed']);
  });

  it('a handler gets events after the restore of a backup that is older than the handler', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'zoo-events-'));
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: team.stores.db, file });
    const events = open();
    const heard: unknown[] = [];
    events.on('mail.sent', ({ data }) => void heard.push(data.subject));
    await events.registered();
    start(events);
    await sendMail('before');
    await allDone(2);
    const { keptFile } = await restoreStore({ db: team.stores.db, file, force: true });
    await sendMail('after', team.other);
    team.clock.advance(3_000);
    await allDone(2);
    expect(heard).toEqual(['before', 'after']);
    await rm(keptFile ?? '');
    await rm(folder, { recursive: true });
  });

  it('a handler keeps its target while its process runs, however long it is silent', async () => {
    const [silent, next] = [open(), open(team.other)];
    silent.on('mail.sent', () => {});
    await silent.registered();
    await sendMail('for one');
    team.clock.advance(10 * minute);
    next.on('mail.sent', () => {});
    await next.registered();
    await sendMail('for two');
    const { items } = await team.parts.store.deliveries.list({ limit: 100 });
    expect(new Set(items.map((each) => each.target)).size).toBe(3);
  });

  it('a handler that throws is called again later; a removed one is not', async () => {
    const events = open();
    const calls: string[] = [];
    events.on('mail.sent', () => {
      calls.push('failing');
      if (calls.length === 1) throw new Error(`no luck with ${plantedSecret}`);
    });
    events.on('mail.sent', async () => void calls.push('other'))();
    await events.registered();
    start(events);
    await sendMail('twice');
    await until(async () => expect((await deliveryTo('handler:')).lastError).toBe('no luck with [removed]'));
    expect(await deliveryTo('handler:')).toMatchObject({ state: 'pending', attempts: 1 });
    expect(calls).toEqual(['failing']);
    await nextAttempt('handler:', 5_000, 2);
    await allDone(2);
    expect(calls).toEqual(['failing', 'failing']);
  });

  it('a failing webhook is retried with the same id, after growing delays', async () => {
    server.script(500, 'drop', 503);
    start(open());
    await sendMail('at last');
    for (const [index, delay] of [5_000, 30_000, 2 * minute].entries()) {
      await server.requested(index + 1);
      await until(async () => expect((await deliveryTo('webhook:audit')).attempts).toBe(index + 1));
      await nextAttempt('webhook:audit', delay);
    }
    await allDone(1);
    expect(server.requests).toHaveLength(4);
    expect(new Set(server.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const times = server.requests.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(new Set(times).size).toBe(4);
  });

  it('after eight attempts an event is a dead letter that the user can see and retry', async () => {
    server.script(...Array.from({ length: 8 }, () => 500));
    const events = open();
    start(events);
    await sendMail('never');
    const delays = [5_000, 30_000, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour];
    for (const [index, delay] of delays.entries()) {
      await until(async () => expect((await deliveryTo('webhook:audit')).attempts).toBe(index + 1));
      await nextAttempt('webhook:audit', delay);
    }
    await until(async () => expect(await events.count()).toEqual({ pending: 0, dead: 1 }));
    const [dead] = (await events.deliveries({ state: 'dead' })).items;
    expect(dead).toMatchObject({
      attempts: 8,
      nextAttemptAt: null,
      lastError: 'Webhook "audit" replied with HTTP 500.',
    });
    team.clock.advance(48 * hour);
    expect(server.requests).toHaveLength(8);

    await events.retry(dead?.id ?? '');
    await allDone(1);
    expect(server.requests).toHaveLength(9);
    await expect(events.retry(dead?.id ?? '')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('a clock that is set back delays neither new events nor retries', async () => {
    server.script(500);
    await sendMail('waits for a process');
    team.clock.jump(-10 * minute);
    start(open());
    await until(async () => expect((await deliveryTo('webhook:audit')).attempts).toBe(1));
    await lanesSleep();
    team.clock.jump(-10 * minute);
    // Not ten minutes. The test's clock may run ahead of the lanes on a busy machine.
    expect(await secondsUntilRequested(2)).toBeLessThan(60);
    await allDone(1);
  });

  it('an attempt is not made before its time', async () => {
    server.script(500);
    start(open());
    await sendMail('fails');
    await until(async () => expect((await deliveryTo('webhook:audit')).attempts).toBe(1));
    await lanesSleep();
    // Another process looks for the first time.
    start(open(team.other));
    await lanesSleep(2);
    expect(server.requests).toHaveLength(1);
  });

  it('410 makes a dead letter at once', async () => {
    server.script(410);
    const events = open();
    start(events);
    await sendMail('unwanted');
    await until(async () => expect(await events.count()).toEqual({ pending: 0, dead: 1 }));
    expect(server.requests).toHaveLength(1);
  });

  it('a target that does not reply delays no other, and gets at most eight requests at once', async () => {
    server.script(...Array.from({ length: 8 }, () => 'hang' as const));
    const events = open();
    const handled = new Set<string>();
    events.on('mail.sent', ({ id }) => void handled.add(id));
    await events.registered();
    start(events);
    for (let index = 0; index < 12; index += 1) await sendMail(`mail ${index}`);
    await until(() => expect(handled.size).toBe(12));
    await server.requested(8);
    expect(server.requests).toHaveLength(8);
    server.release();
    await allDone(24);
    expect(server.requests).toHaveLength(12);
  });

  it('an attempt that hangs is abandoned and repeated', async () => {
    const events = open(team.parts, hangingOnce());
    start(events);
    await sendMail('patience');
    await until(() => expect(team.clock.sleeps()).toContain(30_000));
    team.clock.advance(30_000);
    await until(async () => expect((await deliveryTo('webhook:audit')).lastError).toContain('30 s'));
    await nextAttempt('webhook:audit', 5_000);
    await allDone(1);
  });

  it('two processes deliver each event once to a webhook and to a name, and to the handlers of both', async () => {
    const events = [open(team.parts), open(team.other)];
    const handled: string[][] = [[], []];
    const named: string[] = [];
    for (const [index, each] of events.entries()) {
      each.on('mail.sent', ({ id }) => void handled[index]?.push(id));
      each.on('mail.sent', ({ id }) => void named.push(id), { subscriber: 'billing' });
      await each.registered();
      start(each);
    }
    const parts = [team.parts, team.other];
    await Promise.all(Array.from({ length: 40 }, (_, index) => sendMail(`mail ${index}`, parts[index % 2])));
    await allDone(160);
    const ids = server.requests.map(({ headers }) => headers['webhook-id']).sort();
    expect(ids).toHaveLength(40);
    for (const heard of [...handled, named]) expect(heard.sort()).toEqual(ids);
  });

  it('an event that a killed process sent but did not record is sent again with the same id within 15 s', async () => {
    team.clock.time = Date.now();
    server.script('hang');
    await sendMail('twice');
    const child = spawn(process.execPath, [delivererScript, JSON.stringify(team.stores.db), server.url]);
    running.push({ close: async () => void child.kill('SIGKILL') });
    await server.requested(1);
    start(open());
    // While the process is there, its delivery is left alone.
    await lanesSleep();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await deliveryTo('webhook:audit')).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await secondsUntilRequested(2)).toBeLessThanOrEqual(15);
    await allDone(1);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.headers['webhook-id']).toBe(server.requests[0]?.headers['webhook-id']);
  });

  it('a slow delivery stays with its process, however often others look', async () => {
    server.script('hang');
    start(open());
    await sendMail('slow');
    await server.requested(1);
    start(open(team.other));
    for (let look = 0; look < 8; look += 1) {
      await lanesSleep(2);
      team.clock.advance(3_000);
    }
    expect(server.requests).toHaveLength(1);
    server.release();
    await allDone(1);
    expect(server.requests).toHaveLength(1);
  });

  it('a delivery that could not be recorded is repeated', async () => {
    const logger = capturedLogger();
    const done = vi.fn().mockRejectedValue(new Error('the disk is full'));
    const deliveries = { ...bound(team.parts), done };
    const loop = open({ ...team.parts, logger, store: { ...team.parts.store, deliveries } }).start();
    await sendMail('twice');
    await until(() => expect(done).toHaveBeenCalledTimes(1));
    await loop.close();
    expect(logger.messages).toEqual(['could not record a delivery']);
    start(open());
    await secondsUntilRequested(2);
    await allDone(1);
    expect(server.requests).toHaveLength(2);
  });

  it('a delivery that could not be recorded once is repeated by the same process', async () => {
    const deliveries = bound(team.parts);
    const done = vi.fn(deliveries.done).mockRejectedValueOnce(new Error('the database is locked'));
    const logger = capturedLogger();
    start(open({ ...team.parts, logger, store: { ...team.parts.store, deliveries: { ...deliveries, done } } }));
    await sendMail('twice');
    await until(() => expect(logger.messages).toEqual(['could not record a delivery']));
    expect(await secondsUntilRequested(2)).toBeLessThanOrEqual(15);
    await allDone(1);
    expect(server.requests).toHaveLength(2);
  });

  it('deliveries of a process that is gone are sent again, even while new mail keeps arriving', async () => {
    await sendMail('left behind');
    const dead = await openStore({ ...team.stores, logger: silentLogger, holder: endedHolder() });
    const left = { targets: ['webhook:audit'], now: team.clock.now(), limit: 1 };
    expect(await dead.team.deliveries.take(left)).toHaveLength(1);
    await dead.close();
    start(open());
    for (let mails = 1; mails <= 10; mails += 1) {
      await sendMail(`mail ${mails}`);
      await until(() => expect(server.requests.length).toBeGreaterThanOrEqual(mails));
      await lanesSleep();
      // Less than the lane sleeps, so that only mail wakes it.
      team.clock.advance(2_000);
    }
    await until(() => expect(server.requests).toHaveLength(11));
    await allDone(11);
  });

  describe('closing', () => {
    it('waits for running deliveries', async () => {
      server.script('hang');
      const loop = open().start();
      await sendMail('slow');
      await server.requested(1);
      const closing = loop.close();
      server.release();
      await closing;
      await allDone(1);
    });

    it('abandons slow deliveries, which another process sends again', async () => {
      server.script('hang');
      const loop = open().start();
      await sendMail('too slow');
      await server.requested(1);
      const closing = loop.close();
      await until(() => expect(team.clock.sleeps()).toContain(2_000));
      team.clock.advance(2_000);
      await closing;
      expect(await deliveryTo('webhook:audit')).toMatchObject({ state: 'pending', attempts: 0, lastError: null });
      start(open());
      await lanesSleep();
      expect(server.requests).toHaveLength(1);
      await secondsUntilRequested(2);
      await allDone(1);
      expect(server.requests).toHaveLength(2);
    });

    it('does not send deliveries taken after the patience ended', async () => {
      const deliveries = bound(team.parts);
      const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const take: typeof deliveries.take = async (request) => {
        const found = await deliveries.take(request);
        if (found.length === 0) return found;
        taken.resolve();
        await held.promise;
        return found;
      };
      const send = vi.fn<EventSender>(() => new Promise(() => {}));
      const store = { ...team.parts.store, deliveries: { ...deliveries, take } };
      const loop = open({ ...team.parts, store }, send).start();
      await sendMail('taken too late');
      await taken.promise;
      const closing = loop.close();
      await until(() => expect(team.clock.sleeps()).toContain(2_000));
      team.clock.advance(2_000);
      await new Promise(setImmediate);
      held.resolve();
      await closing;
      expect(send).not.toHaveBeenCalled();
    });

    it('leaves no timers and delivers no more', async () => {
      const loop = open().start();
      await lanesSleep();
      await loop.close();
      expect(team.clock.sleeps()).toEqual([]);
      await sendMail('later');
      expect(await team.parts.store.deliveries.count()).toEqual({ pending: 1, dead: 0 });
    });
  });

  it('events wait if their senders cannot be opened, while handlers continue', async () => {
    const events = teamEvents(team.parts, { senders: () => Promise.reject(new Error('bad secret')) });
    const handled: TeamEvent[] = [];
    events.on('mail.sent', (event) => void handled.push(event));
    await events.registered();
    start(events);
    await sendMail('half');
    await until(async () => expect(handled).toHaveLength(1));
    await until(async () => expect(await events.count()).toEqual({ pending: 1, dead: 0 }));
  });

  function open(parts: TeamParts = team.parts, audit: EventSender = webhook('audit')): TeamEvents {
    return teamEvents(parts, { senders: () => new Map([['webhook:audit', audit]]) });
  }

  function webhook(name: string): EventSender {
    return webhookSender({ name, url: server.url, secret: 'a secret for tests', clock: team.clock });
  }

  function start(events: TeamEvents): void {
    running.push(events.start());
  }

  async function sendMail(subject: string, parts: TeamParts = team.parts): Promise<string> {
    const posting = { from: human, toAgentId: 'worker-1', subject, body: 'Text' };
    const { mailId } = await parts.store.write((rows) => postMail(parts, rows, posting));
    return mailId;
  }

  async function allDone(count: number): Promise<void> {
    await until(async () => {
      const { items } = await team.parts.store.deliveries.list({ state: 'done', limit: 200 });
      expect(items).toHaveLength(count);
      expect((await team.parts.store.deliveries.count()).pending).toBe(0);
    });
  }

  async function deliveryTo(target: string): Promise<Delivery> {
    const { items } = await team.parts.store.deliveries.list({ limit: 100 });
    const found = items.find((each) => each.target.startsWith(target));
    if (!found) throw new Error(`There is no delivery to ${target}.`);
    return found;
  }

  /** Goes to the time of the next attempt, which is `delay` away, and not before it. */
  async function nextAttempt(target: string, delay: number, lanes = 1): Promise<void> {
    const { nextAttemptAt } = await deliveryTo(target);
    expect(Date.parse(nextAttemptAt ?? '') - team.clock.now()).toBe(delay);
    await advanceAsleep(delay, lanes);
  }

  /** Advances in the moment in which each lane sleeps: one that is looking would look at the old time, and sleep again. */
  function advanceAsleep(milliseconds: number, lanes = 1): Promise<void> {
    return until(() => {
      expect(sleeping()).toBe(lanes);
      team.clock.advance(milliseconds);
    });
  }

  /** Each has looked, found nothing, and sleeps until it looks again. */
  function lanesSleep(lanes = 1): Promise<void> {
    return until(() => expect(sleeping()).toBe(lanes));
  }

  function sleeping(): number {
    return team.clock.sleeps().filter((wanted) => wanted === 3_000).length;
  }

  /** Lets the lanes look, again and again. */
  async function secondsUntilRequested(count: number): Promise<number> {
    const begun = team.clock.now();
    while (server.requests.length < count) {
      await advanceAsleep(3_000);
      // Time stands still while a request is under way.
      await until(() => {
        const isIdle = sleeping() > 0 && !team.clock.sleeps().includes(30_000);
        expect(isIdle || server.requests.length >= count).toBe(true);
      });
    }
    return (team.clock.now() - begun) / 1_000;
  }
});

function until(check: () => unknown): Promise<void> {
  return vi.waitFor(
    async () => {
      await check();
    },
    { timeout: 20_000 },
  );
}

/** The methods of the real one, so that some can be replaced. */
function bound({ store: { deliveries } }: TeamParts): TeamParts['store']['deliveries'] {
  return {
    take: (request) => deliveries.take(request),
    done: (id, at) => deliveries.done(id, at),
    bringForward: (request) => deliveries.bringForward(request),
    takeAbandoned: (request) => deliveries.takeAbandoned(request),
    failed: (id, failure) => deliveries.failed(id, failure),
    list: (query) => deliveries.list(query),
    latest: (targets) => deliveries.latest(targets),
    deadLetters: (query) => deliveries.deadLetters(query),
    count: () => deliveries.count(),
    revive: (id) => deliveries.revive(id),
    prune: (before) => deliveries.prune(before),
  };
}

function hangingOnce(): EventSender {
  let attempts = 0;
  return () => {
    attempts += 1;
    return attempts === 1 ? new Promise(() => {}) : Promise.resolve({ isDelivered: true });
  };
}
