import { Agent } from '../../../src/agents/agent.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { type databaseKinds, newTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestStores extends TestDatabase {
  clock: TestClock;
  store: Store;
  /** Opens the same database with separate connections, as another process would. */
  other: Store;
}

export interface TestClock extends Clock {
  time: number;
}

export async function openTestStores(kind: (typeof databaseKinds)[number]): Promise<TestStores> {
  const database = await newTestDatabase(kind);
  const clock = testClock();
  const open = () => openStore({ db: database.db, clock, logger: silentLogger });
  const [store, other] = await Promise.all([open(), open()]);
  return {
    ...database,
    clock,
    store,
    other,
    async remove() {
      await Promise.all([store.close(), other.close()]);
      await database.remove();
    },
  };
}

export function testClock(time = Date.UTC(2026, 10, 15, 12)): TestClock {
  return {
    time,
    now() {
      return this.time;
    },
    sleep: async () => {},
  };
}

export function testAgent(id: string, fields: Partial<Agent> = {}): Agent {
  return Agent.parse({ id, name: `Agent ${id}`, source: 'store', ...fields });
}

/** Resolves with the next change that `watch` reports. */
export function nextChange<T>(watch: (onChange: (value: T) => void) => () => void): Promise<T> {
  return new Promise((resolve) => {
    const stop = watch((value) => {
      stop();
      resolve(value);
    });
  });
}
