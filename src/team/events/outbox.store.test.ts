import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distantHolder, endedHolder } from '../../../test/support/databases/holders.ts';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { addMails, mailRow, teamTime } from '../../../test/support/team/team-rows.ts';
import { silentLogger } from '../../base/logger.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import type { KeyClaim } from '../calls/once.store.ts';
import type { TeamStore } from '../team.store.ts';
import type { Delivery } from './deliveries.contract.ts';

const iso = (after: number) => new Date(teamTime + after).toISOString();
const claimOf = (key: string, fields: Partial<KeyClaim> = {}): KeyClaim => ({
  owner: 'w',
  key,
  tool: 'mcp__mail__send',
  inputHash: 'hash',
  at: teamTime,
  ...fields,
});

describe.each(databaseKinds)('idempotency keys in %s', (kind) => {
  let stores: TestStores;
  let team: TeamStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    team = stores.store.team;
  });
  afterAll(() => stores.remove());

  const claim = (wanted: KeyClaim) => team.write((rows) => rows.claimKey(wanted));

  it('a key is new once per owner, and then returns the stored answer', async () => {
    expect(await claim(claimOf('one'))).toEqual({ isNew: true });
    const known = { isNew: false, tool: 'mcp__mail__send', inputHash: 'hash', answer: null };
    expect(await claim(claimOf('one', { tool: 'other', inputHash: 'other' }))).toEqual(known);
    await team.write((rows) => rows.keepAnswer('w', 'one', '{"mailId":"m"}'));
    expect(await claim(claimOf('one'))).toEqual({ ...known, answer: '{"mailId":"m"}' });
    expect(await claim(claimOf('one', { owner: '' }))).toEqual({ isNew: true });
    expect(await claim(claimOf('ONE'))).toEqual({ isNew: true });
  });

  it('the key of a failed call is free again', async () => {
    const failed = team.write(async (rows) => {
      await rows.claimKey(claimOf('failed'));
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await claim(claimOf('failed'))).toEqual({ isNew: true });
    await team.write((rows) => rows.releaseKey('w', 'failed'));
    expect(await claim(claimOf('failed'))).toEqual({ isNew: true });
  });

  it('ten concurrent calls with one key have one effect and one answer, for each of 20 keys', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `parallel-${index}`);
    const send = (own: TeamStore, key: string, call: number) =>
      own.write(async (rows) => {
        const found = await rows.claimKey(claimOf(key));
        if (!found.isNew) return found.answer;
        const id = `${key}-${call}`;
        await rows.addMail(mailRow(id, { toAgentId: key }));
        await rows.keepAnswer('w', key, id);
        return id;
      });
    for (const key of keys) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, call) => send((call % 2 === 0 ? stores.store : stores.other).team, key, call)),
      );
      const box = await team.mailbox({ toAgentId: key, includeRead: true, limit: 20 });
      expect(box.items).toHaveLength(1);
      expect(new Set(answers)).toEqual(new Set([box.items[0]?.id]));
    }
  });
});

describe.each(databaseKinds)('the outbox in %s', (kind) => {
  let stores: TestStores;
  let team: TeamStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    team = stores.store.team;
  });
  afterAll(() => stores.remove());

  const addEvent = (id: string, targets: readonly string[], at = teamTime) =>
    team.write((rows) => rows.addEvent({ id, type: 'mail.sent', data: `{"mailId":"${id}"}`, at }, targets));
  const take = (target: string, now: number, limit = 10): Promise<Delivery[]> =>
    team.deliveries.take({ targets: [target], now, limit });

  it('an event has a delivery for each target, and both are rolled back with their transaction', async () => {
    const givenUp = team.write(async (rows) => {
      await rows.addMail(mailRow('given-up'));
      await rows.addEvent({ id: 'given-up', type: 'mail.sent', data: '{}', at: teamTime }, ['both-a']);
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    await addEvent('both', ['both-a', 'both-b']);
    const found = await team.deliveries.take({ targets: ['both-a', 'both-b'], now: teamTime, limit: 10 });
    expect(found.map((each) => each.target).sort()).toEqual(['both-a', 'both-b']);
    expect(found[0]).toEqual({
      id: expect.stringMatching(/^delivery_/),
      eventId: 'both',
      type: 'mail.sent',
      data: '{"mailId":"both"}',
      createdAt: iso(0),
      target: expect.any(String),
      state: 'pending',
      attempts: 0,
      nextAttemptAt: iso(0),
      lastError: null,
      deliveredAt: null,
    });
  });

  it('a delivery is taken once: new ones at once, others when they are due, longest overdue first', async () => {
    for (const id of ['late', 'early']) await addEvent(id, ['due']);
    for (const { id, eventId } of await take('due', teamTime)) {
      const nextAttemptAt = teamTime + (eventId === 'early' ? 10 : 50);
      await team.deliveries.failed(id, { error: 'not yet', nextAttemptAt });
    }
    await addEvent('new', ['due'], teamTime + 9e9);
    await addEvent('other', ['not-asked-for']);
    const ids = async (now: number, limit?: number) => (await take('due', now, limit)).map((each) => each.eventId);
    expect(await ids(teamTime + 9)).toEqual(['new']);
    expect(await ids(teamTime + 60, 1)).toEqual(['early']);
    expect(await ids(teamTime + 60)).toEqual(['late']);
    expect(await ids(teamTime + 9e9)).toEqual([]);
  });

  it('a failed attempt is counted and repeated later, and ends as a dead letter that can be revived', async () => {
    await addEvent('fails', ['failing']);
    const [delivery] = await take('failing', teamTime);
    const id = delivery?.id ?? '';
    const before = await team.deliveries.count();
    await team.deliveries.failed(id, { error: 'refused\0', nextAttemptAt: teamTime + 1000 });
    expect(await take('failing', teamTime + 999)).toEqual([]);
    const [again] = await take('failing', teamTime + 1000);
    expect(again).toMatchObject({ id, attempts: 1, lastError: 'refused\ufffd' });
    await team.deliveries.failed(id, { error: 'gone', nextAttemptAt: null });
    expect(await take('failing', teamTime + 9e9)).toEqual([]);
    expect(await team.deliveries.count()).toEqual({ pending: before.pending - 1, dead: before.dead + 1 });
    const { items } = await team.deliveries.list({ state: 'dead', limit: 10 });
    expect(items).toMatchObject([{ id, state: 'dead', attempts: 2, lastError: 'gone', nextAttemptAt: null }]);

    expect(await team.deliveries.revive(id)).toBe(true);
    expect(await team.deliveries.revive(id)).toBe(false);
    expect(await team.deliveries.revive('none\0')).toBe(false);
    expect(await take('failing', teamTime + 5)).toMatchObject([{ id, attempts: 0 }]);
    await team.deliveries.done(id, teamTime + 6);
    // One who had it before its lease ended comes too late.
    await team.deliveries.failed(id, { error: 'late', nextAttemptAt: null });
    expect((await team.deliveries.list({ state: 'done', limit: 10 })).items).toMatchObject([
      { id, state: 'done', attempts: 1, deliveredAt: iso(6), lastError: null, nextAttemptAt: null },
    ]);
  });

  it('two processes never take the same delivery', async () => {
    await team.write(async (rows) => {
      for (let index = 0; index < 60; index += 1) {
        await rows.addEvent({ id: `shared-${index}`, type: 't', data: '{}', at: teamTime }, ['shared']);
      }
    });
    const taken: string[] = [];
    await Promise.all(
      Array.from({ length: 6 }, async (_, worker) => {
        const { deliveries } = (worker % 2 === 0 ? stores.store : stores.other).team;
        for (let misses = 0; misses < 3; ) {
          const found = await deliveries.take({
            targets: ['shared'],
            now: teamTime,
            limit: 4,
          });
          taken.push(...found.map((each) => each.eventId));
          // What the others hold at this moment is passed over.
          if (found.length === 0) misses += 1;
        }
      }),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken).toHaveLength(60);
  });

  it('the list is paged, newest first', async () => {
    const seen: Delivery[] = [];
    let cursor: string | undefined;
    do {
      const page = await team.deliveries.list({ limit: 17, cursor });
      seen.push(...page.items);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(seen.map((each) => each.id)).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(60);
    const positions = seen.map((each) => `${each.createdAt} ${each.id}`);
    expect(positions).toEqual(positions.toSorted().reverse());
  });

  it('only old delivered events, old keys and old records of faults are deleted', async () => {
    await addMails(team, [mailRow('stays')]);
    await team.write(async (rows) => {
      for (let index = 0; index < 600; index += 1) {
        await rows.addEvent({ id: `old-${index}`, type: 't', data: '{}', at: teamTime - 5000 }, ['old']);
      }
      await rows.addEvent({ id: 'old-pending', type: 't', data: '{}', at: teamTime - 5000 }, ['old-pending']);
      await rows.claimKey(claimOf('old', { at: teamTime - 5000 }));
      await rows.claimKey(claimOf('new'));
      await rows.addEscalation({ fault: 'f', mailId: 'old', at: teamTime - 5000 });
      await rows.addEscalation({ fault: 'f', mailId: 'new', at: teamTime });
    });
    const old = await team.deliveries.take({ targets: ['old'], now: teamTime, limit: 599 });
    const last = await take('old', teamTime);
    await Promise.all(old.map((each) => team.deliveries.done(each.id, teamTime - 4000)));
    // Old, but delivered only now.
    await team.deliveries.done(last[0]?.id ?? '', teamTime);

    await team.deliveries.prune(teamTime - 1000);
    const left = await team.deliveries.list({ limit: 2000 });
    const oldOnes = left.items.filter((each) => each.eventId.startsWith('old'));
    expect(oldOnes.map((each) => each.eventId).sort()).toEqual([last[0]?.eventId, 'old-pending'].sort());
    await team.write(async (rows) => {
      expect(await rows.claimKey(claimOf('old'))).toEqual({ isNew: true });
      expect(await rows.claimKey(claimOf('new'))).toMatchObject({ isNew: false });
      expect(await rows.escalations('f', 0)).toEqual([{ mailId: 'new' }]);
    });
    expect(await team.mail('stays')).toBeDefined();
  });
});

describe.each(databaseKinds)('who delivers, in %s', (kind) => {
  let stores: TestStores;
  let team: TeamStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    team = stores.store.team;
  });
  afterAll(() => stores.remove());

  const open = (holder: string) => openStore({ ...stores, logger: silentLogger, holder });
  const addEvent = (id: string, targets: readonly string[], at = teamTime) =>
    team.write((rows) => rows.addEvent({ id, type: 'mail.sent', data: `{"mailId":"${id}"}`, at }, targets));
  const take = (target: string, now: number, limit = 10): Promise<Delivery[]> =>
    team.deliveries.take({ targets: [target], now, limit });

  it('deliveries of a process that is gone are taken over once; those of a running process are not', async () => {
    await addEvent('left', ['leased']);
    const dead = await open(endedHolder());
    const now = teamTime;
    const [left] = await dead.team.deliveries.take({ targets: ['leased'], now, limit: 1 });
    await addEvent('kept', ['leased']);
    const [kept] = await take('leased', now);
    const running = new Set([kept?.id ?? '']);
    const takeAbandoned = (through: Store, target = 'leased') =>
      through.team.deliveries.takeAbandoned({ target, running, limit: 9 });
    const both = await Promise.all([takeAbandoned(stores.store), takeAbandoned(stores.other)]);
    expect(both.flat()).toMatchObject([{ id: left?.id, eventId: 'left', state: 'pending' }]);
    // Whoever had it cannot put it back.
    await dead.team.deliveries.failed(left?.id ?? '', { error: 'too late', nextAttemptAt: now });
    expect(await take('leased', now + 9e9)).toEqual([]);
    // What this process took and does not deliver is left, too.
    running.clear();
    expect((await takeAbandoned(stores.store)).map(({ eventId }) => eventId)).toContain('kept');
    for (const each of [left, kept]) await team.deliveries.done(each?.id ?? '', now);
    expect(await takeAbandoned(stores.store)).toEqual([]);
    await dead.close();
  });

  describe('a subscriber', () => {
    const register = ({ through = team, ...fields }: { through?: TeamStore } & Record<string, unknown> = {}) =>
      through.subscribers.register({ type: 'told', now: teamTime, program: 'app', ...fields });
    const seen = (target: string, through = team) => through.subscribers.seen([{ target, type: 'told' }], teamTime);
    const tell = (id: string) =>
      team.write((rows) => rows.addEvent({ id, type: 'told', data: '{}', at: teamTime }, []));
    const waiting = async (target: string) => (await take(target, teamTime + 1)).map((each) => each.eventId).sort();

    it('gets a delivery for each event of its type from its registration on', async () => {
      await tell('before');
      const target = await register({ program: 'alone' });
      expect(target).toBe('handler:alone~1:told');
      await stores.other.team.write((rows) =>
        rows.addEvent({ id: 'after', type: 'told', data: '{}', at: teamTime }, []),
      );
      await team.write((rows) => rows.addEvent({ id: 'else', type: 'other', data: '{}', at: teamTime }, []));
      expect(await waiting(target)).toEqual(['after']);
      await team.subscribers.forget(target);
    });

    it('without a name has its own target, which the next process takes over', async () => {
      const [dead, distant] = [await open(endedHolder()), await open(distantHolder('far'))];
      const first = await register({ through: dead.team });
      const second = await register();
      expect([first, second]).toEqual(['handler:app~1:told', 'handler:app~1:told']);
      const third = await register({ through: distant.team });
      expect(third).toBe('handler:app~2:told');
      await tell('for both');
      await team.subscribers.leave([second], teamTime);
      await tell('for the next');
      expect(await register({ through: stores.other.team })).toBe(first);
      expect(await waiting(first)).toEqual(['for both', 'for the next']);
      expect(await waiting(third)).toEqual(['for both', 'for the next']);
      await Promise.all([dead.close(), distant.close()]);
    });

    it('with a name shares its target, and its events wait while no process runs', async () => {
      const named = { type: 'told', name: 'billing', now: teamTime };
      const target = await team.subscribers.register(named);
      expect(await stores.other.team.subscribers.register(named)).toBe(target);
      await stores.other.team.subscribers.leave([target], teamTime);
      await tell('billed');
      expect(await waiting(target)).toEqual(['billed']);
    });

    it('not seen for long is deleted, with its pending deliveries', async () => {
      const target = await register({ program: 'forgotten', now: teamTime - 9000 });
      await team.write((rows) => rows.addEvent({ id: 'unheard', type: 'told', data: '{}', at: teamTime - 8000 }, []));
      await team.subscribers.prune(teamTime - 1000);
      expect(await waiting(target)).toEqual([]);
      await tell('afterwards');
      expect(await waiting(target)).toEqual([]);
    });

    it('is registered again if it was removed while its process runs', async () => {
      const target = await register({ program: 'restored', now: teamTime - 9000 });
      await team.subscribers.prune(teamTime - 1000);
      await seen(target);
      await tell('heard again');
      expect(await waiting(target)).toEqual(['heard again']);
      // Its place is held again.
      expect(await register({ program: 'restored', through: stores.other.team })).toBe('handler:restored~2:told');
    });

    it('takes its target back from a process that is gone, not from a running one', async () => {
      const [dead, distant] = [await open(endedHolder()), await open(distantHolder('far'))];
      const target = await register({ program: 'moved', through: distant.team });
      await distant.team.subscribers.leave([target], teamTime);
      expect(await register({ program: 'moved' })).toBe(target);
      await seen(target, distant.team);
      await distant.team.subscribers.leave([target], teamTime);
      expect(await register({ program: 'moved', through: stores.other.team })).toBe('handler:moved~2:told');
      await team.subscribers.leave([target], teamTime);
      expect(await register({ program: 'moved', through: dead.team })).toBe(target);
      await seen(target, distant.team);
      await distant.team.subscribers.leave([target], teamTime);
      expect(await register({ program: 'moved' })).toBe(target);
      await Promise.all([dead.close(), distant.close()]);
    });

    it('takes over deliveries that an older version left for handlers', async () => {
      await team.write((rows) => rows.addEvent({ id: 'old', type: 'legacy', data: '{}', at: teamTime }, ['handlers']));
      expect(await waiting(await register({ type: 'legacy' }))).toEqual(['old']);
    });
  });
});
