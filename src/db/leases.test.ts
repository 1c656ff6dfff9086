import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockAhead, distantHolder, runningHolder } from '../../test/support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { watchFor } from '../../test/support/time/watch-for.ts';
import { newHolder } from '../base/holder.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase } from '../store/open-store.ts';
import type { Database } from './database.ts';
import { Leases } from './leases.ts';

const hour = 3_600_000;

describe.each(databaseKinds)('leases in %s', (kind) => {
  let testDatabase: TestDatabase;
  let database: Database;
  const opened: Leases[] = [];
  beforeEach(async () => {
    testDatabase = await newTestDatabase(kind);
    database = await openDatabase(testDatabase.db, silentLogger);
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const each of opened.splice(0)) await each.close();
    await database.close();
    await testDatabase.remove();
  });

  function open(fields: { holder?: string; aheadMs?: number } = {}): Leases {
    const { holder, aheadMs = 0 } = fields;
    const leases = new Leases({ database, clock: clockAhead(aheadMs), logger: silentLogger, holder });
    opened.push(leases);
    return leases;
  }

  const change = (statement: string) => database.write(({ db }) => sql.raw(statement).execute(db));
  const renew = () => change('update leases set until = until + 1');
  /** Sets the last renewal far back, by the clock of the database. */
  const expire = () => change('update leases set until = 1');
  const names = async () =>
    (await database.read((db) => db.selectFrom('leases').select('name').orderBy('name').execute())).map(
      ({ name }) => name,
    );

  it('a name has one holder, which the error names, and is free after its release', async () => {
    const [one, other] = [open(), open({ holder: distantHolder('far') })];
    const both = await Promise.allSettled([one.take('job'), other.take('job')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const each of [one, other])
      await expect(each.take('job')).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(
          /^"job" is held by process \d+ on \S+ since 2\d{3}-\S+\. Wait until it has finished\.$/,
        ),
      });
    for (const result of both) if (result.status === 'fulfilled') await result.value.release();
    expect(await names()).not.toContain('job');
    await (await other.take('job')).release();
    await (await one.take('other job')).release();
  });

  it('a remote holder that renews its lease never counts as ended, however wrong the clocks are', async () => {
    const far = open({ holder: distantHolder('far'), aheadMs: -10 * hour });
    await far.take('job');
    await far.renew();
    for (const aheadMs of [0, hour, -hour, 20 * hour]) {
      const looker = open({ aheadMs });
      await watchFor(60, async () => {
        expect(await looker.gone([far.holder])).toEqual(new Set());
        await renew();
      });
    }
  });

  it('a remote holder counts as ended if its lease is over and nobody renewed it while it was watched', async () => {
    const far = open({ holder: distantHolder('far') });
    await far.take('job');
    await far.renew();
    const looker = open({ aheadMs: 20 * hour });
    await expire();
    expect(await looker.gone([far.holder])).toEqual(new Set());
    const seen: string[] = [];
    await watchFor(20, async () => seen.push(...(await looker.gone([far.holder]))));
    expect(seen).toEqual([far.holder]);
    const taken = await looker.take('job');
    await far.renew();
    expect(taken.lost.aborted).toBe(false);
    // The holder was running after all: it learns that it lost the name, and the others learn that it runs.
    expect(await looker.gone([far.holder])).toEqual(new Set());
    await expect(far.take('job')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('after a database outage, running processes have time to renew before anyone counts as ended', async () => {
    const far = open({ holder: distantHolder('far') });
    await far.renew();
    await expire();
    const looker = open();
    await watchFor(4, async () => expect(await looker.gone([far.holder])).toEqual(new Set()));
    await far.renew();
    expect(await looker.gone([far.holder])).toEqual(new Set());
  });

  it('a process without a sign of life yet gets a whole lease period', async () => {
    const looker = open();
    await watchFor(19, async () => expect(await looker.gone(['somebody'])).toEqual(new Set()));
    const seen: string[] = [];
    await watchFor(20, async () => seen.push(...(await looker.gone(['somebody']))));
    expect(seen).toContain('somebody');
  });

  it('a local process counts as ended once it exits, even if its process id was reused', async () => {
    const looker = open();
    const ended = spawn(process.execPath, ['-e', '']);
    await once(ended, 'exit');
    const dead = newHolder().replace(/^process \d+/, `process ${ended.pid}`);
    // Started at another time than the process that has this id now.
    const before = newHolder().replace(/\.\d+\.holder/, '.1.holder');
    const running = open({ holder: runningHolder() });
    await running.renew();
    const isKnown = process.platform === 'linux';
    const expected = isKnown ? [dead, before] : [dead];
    expect(await looker.gone([dead, before, running.holder])).toEqual(new Set(expected));
    // However long it is silent, perhaps because it was suspended.
    await expire();
    if (isKnown) await watchFor(600, async () => expect(await looker.gone([running.holder])).toEqual(new Set()));
  });

  it('a running process without a lease counts as ended: this database is a copy of the one it uses', async () => {
    const looker = open();
    const elsewhere = runningHolder();
    const seen: string[] = [];
    await watchFor(20, async () => seen.push(...(await looker.gone([elsewhere]))));
    expect(seen).toEqual([elsewhere]);
  });

  it('a holder that lost a name notices at the next renewal', async () => {
    const one = open();
    const held = await one.take('job');
    await one.renew();
    expect(held.lost.aborted).toBe(false);
    await change(`update leases set holder = 'another' where name = 'job'`);
    await one.renew();
    expect(held.lost.aborted).toBe(true);
    await held.release();
    expect(await names()).toContain('job');
  });

  it('if releasing a name fails, it is free for its process at once, and for others after the next renewal', async () => {
    const [one, other] = [open(), open()];
    const failToRelease = async () => {
      const held = await one.take('job');
      vi.spyOn(database, 'write').mockRejectedValueOnce(new Error('the disk is full'));
      await held.release();
      expect(await one.held('')).not.toContain('job');
      await expect(other.take('job')).rejects.toMatchObject({ code: 'CONFLICT' });
    };
    await failToRelease();
    await failToRelease();
    const kept = await one.take('other job');
    await one.renew();
    await (await other.take('job')).release();
    await expect(other.take('other job')).rejects.toMatchObject({ code: 'CONFLICT' });
    await kept.release();
  });

  it('closing releases everything; a process that held nothing writes nothing', async () => {
    const [idle, busy] = [open(), open()];
    await busy.take('job');
    await busy.renew();
    expect(await names()).toHaveLength(2);
    await busy.close();
    expect(await names()).toEqual([]);
    const write = vi.spyOn(database, 'write');
    idle.keep();
    await idle.close();
    expect(write).not.toHaveBeenCalled();
  });

  it('a lease that was lost in a restore is written again', async () => {
    const one = open();
    const held = await one.take('job');
    await change('delete from leases');
    await one.renew();
    expect(held.lost.aborted).toBe(false);
    expect(await names()).toEqual(['job', one.holder].sort());
  });
});
