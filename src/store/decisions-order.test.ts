import { expect, it } from 'vitest';
import { testClock } from '../../test/support/test-store.ts';
import type { DecisionEntry } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { StoredDecisions } from './decisions.ts';

/** A database that notes what is asked of it; its disk is as slow as the test wants. */
function slowDisk(): { database: Database; events: string[]; finishSync: (error?: Error) => void } {
  const events: string[] = [];
  let disk = Promise.withResolvers<void>();
  const refuse = () => Promise.reject(new Error('not asked for here'));
  const database: Database = {
    kind: 'sqlite',
    place: 'test',
    read: refuse,
    write: refuse,
    select: refuse,
    fillSegment: refuse,
    revision: () => undefined,
    watch: () => () => {},
    insertDecisions(take) {
      events.push(
        `commit ${take()
          .map((row) => row.kind)
          .join(' ')}`,
      );
      return undefined;
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

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('an invocation resolves when the disk has it, not when it is committed', async () => {
  const { database, events, finishSync } = slowDisk();
  const log = new StoredDecisions(database, testClock());
  const appended = log.append(row('invocation')).then(() => events.push('resolved'));
  for (let index = 0; index < 5; index += 1) await turn();
  expect(events).toEqual(['commit invocation', 'sync']);
  finishSync();
  await appended;
  expect(events).toEqual(['commit invocation', 'sync', 'resolved']);
});

it('a result resolves when it is committed', async () => {
  const { database, events } = slowDisk();
  await new StoredDecisions(database, testClock()).append(row('result'));
  expect(events).toEqual(['commit result']);
});

it('while three groups are on their way to the disk, further invocations gather, and results do not wait', async () => {
  const { database, events, finishSync } = slowDisk();
  const log = new StoredDecisions(database, testClock());
  const appended: Promise<void>[] = [];
  for (let group = 0; group < 3; group += 1) {
    appended.push(log.append(row('invocation')));
    await turn();
    await turn();
  }
  events.length = 0;
  appended.push(log.append(row('invocation')));
  await turn();
  appended.push(log.append(row('invocation')));
  await turn();
  expect(events).toEqual([]);
  await log.append(row('result'));
  expect(events).toEqual(['commit invocation invocation result', 'sync']);
  finishSync();
  await Promise.all(appended);
});

it('an invocation that the disk refuses is refused, and the next one is tried anew', async () => {
  const { database, finishSync } = slowDisk();
  const log = new StoredDecisions(database, testClock());
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
