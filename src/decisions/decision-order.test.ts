import { expect, it } from 'vitest';
import { openLog } from '../../test/support/databases/open-log.ts';
import { testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import { sqliteSql } from '../db/sqlite/sqlite-dialect.ts';
import type { DecisionEntry } from '../tools/decision-log.ts';
import { unpackEntries } from './decision-group.ts';

/** A database that records its calls; the test decides how slow its disk is. */
function slowDisk(): { database: Database; events: string[]; finishSync: (error?: Error) => void } {
  const events: string[] = [];
  let disk = Promise.withResolvers<void>();
  const refuse = () => Promise.reject(new Error('not asked for here'));
  const database: Database = {
    kind: 'sqlite',
    dialect: sqliteSql,
    location: 'test',
    read: refuse,
    write: refuse,
    execute: refuse,
    select: refuse,
    fillSegment: refuse,
    probe: refuse,
    migrate: refuse,
    changes: { version: () => undefined, on: () => () => {} },
    insertDecisions(take) {
      const { groups } = take();
      const kinds = groups.flatMap(({ entries }) => unpackEntries(entries)).map((entry) => entry?.kind);
      events.push(`commit ${kinds.join(' ')}`);
      return 1;
    },
    sync: () => {
      events.push('sync');
      return disk.promise;
    },
    close: async () => {},
  };
  const finishSync = (error?: Error) => {
    const running = disk;
    disk = Promise.withResolvers<void>();
    if (error) running.reject(error);
    else running.resolve();
  };
  return { database, events, finishSync };
}

function row(kind: DecisionEntry['kind']): DecisionEntry {
  return {
    callId: 'call',
    kind,
    at: 1,
    surface: 'cli',
    agentId: null,
    persona: null,
    taskId: null,
    tool: 't',
    decision: 'd',
    reasoning: 'r',
    context: '{}',
  };
}

const newLog = (database: Database) => openLog({ database, clock: testClock(), logger: silentLogger });
const turn = () => new Promise((resolve) => setImmediate(resolve));

it.each(['invocation', 'result', 'error', 'manual'] as const)(
  'a row of kind %s resolves when it is on disk, not when it is committed',
  async (kind) => {
    const { database, events, finishSync } = slowDisk();
    const log = newLog(database);
    const appended = log.append(row(kind)).then(() => events.push('resolved'));
    for (let index = 0; index < 5; index += 1) await turn();
    expect(events).toEqual([`commit ${kind}`, 'sync']);
    finishSync();
    await appended;
    expect(events).toEqual([`commit ${kind}`, 'sync', 'resolved']);
  },
);

it('rows that arrive in one turn share a transaction', async () => {
  const { database, events, finishSync } = slowDisk();
  const log = newLog(database);
  const appended = [log.append(row('invocation')), log.append(row('result')), log.append(row('invocation'))];
  await turn();
  await turn();
  expect(events).toEqual(['commit invocation result invocation', 'sync']);
  finishSync();
  await Promise.all(appended);
});

it('while groups are being synced, further rows gather in one group, which follows when the disk is free', async () => {
  const { database, events, finishSync } = slowDisk();
  const log = newLog(database);
  const appended: Promise<void>[] = [];
  while (events.filter((event) => event === 'sync').length === appended.length) {
    appended.push(log.append(row('invocation')));
    for (let index = 0; index < 5; index += 1) await turn();
  }
  events.length = 0;
  appended.push(log.append(row('result')), log.append(row('manual')));
  for (let index = 0; index < 5; index += 1) await turn();
  expect(events).toEqual([]);
  finishSync();
  for (let index = 0; index < 5; index += 1) await turn();
  expect(events).toEqual(['commit invocation result manual', 'sync']);
  finishSync();
  await Promise.all(appended);
});

it('an invocation fails if the disk fails, and the next one is tried again', async () => {
  const { database, finishSync } = slowDisk();
  const log = newLog(database);
  const refused = log.append(row('invocation'));
  await turn();
  await turn();
  finishSync(new Error('no space'));
  await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const next = log.append(row('invocation'));
  await turn();
  await turn();
  finishSync();
  await expect(next).resolves.toBeUndefined();
});
