import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { openDatabase, openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { closeCalls } from '../../src/team/close-calls.ts';
import { clockAhead, type DistantWork, distantHolder, startDistantProcess } from '../support/distant-process.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { openTestTeamParts, type TestTeamParts } from '../support/test-team-parts.ts';
import { watchFor } from '../support/watch-for.ts';

const minute = 60_000;

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

  /** As it is some time after the last word of a process: over by the clock of the database, and long looked at. */
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
  });
});
