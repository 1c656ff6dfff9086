import { expect, it, vi } from 'vitest';
import { testClock } from '../../../test/support/databases/test-store.ts';
import { memoryConnector } from '../../../test/support/knowledge/memory-connector.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Connector } from '../connector.ts';
import { watchSources } from './watch-sources.ts';

it('changes start one sync at a time, and one more for all changes in the meantime', async () => {
  const { connector, change } = watched();
  const { sync, runs, finish } = heldSync();
  const watch = watchSources({ connectors: [connector], sync, logger: silentLogger, clock: testClock() });
  expect(runs()).toBe(0);
  change();
  change();
  change();
  expect(runs()).toBe(1);
  finish();
  await vi.waitFor(() => expect(runs()).toBe(2));
  finish();
  await watch.close();
  expect(runs()).toBe(2);
});

it('a failed sync is logged, and the next change starts another', async () => {
  const { connector, change } = watched();
  const errors: object[] = [];
  const sync = vi.fn().mockRejectedValueOnce(new Error('no')).mockResolvedValue(undefined);
  const logger = { ...silentLogger, error: (fields: object) => void errors.push(fields) };
  const watch = watchSources({ connectors: [connector], sync, logger, clock: testClock() });
  change();
  await vi.waitFor(() => expect(errors).toMatchObject([{ source: 'script:memory' }]));
  change();
  await watch.close();
  expect(sync).toHaveBeenCalledTimes(2);
});

it('closing ends the watcher, waits for the running sync and starts no other', async () => {
  const { connector, change, isClosed } = watched();
  const { sync, runs, finish } = heldSync();
  const watch = watchSources({ connectors: [connector], sync, logger: silentLogger, clock: testClock() });
  change();
  change();
  let hasEnded = false;
  const closing = watch.close().then(() => {
    hasEnded = true;
  });
  await vi.waitFor(() => expect(isClosed()).toBe(true));
  expect(hasEnded).toBe(false);
  finish();
  await closing;
  change();
  expect(runs()).toBe(1);
});

it('sources that cannot be watched are synced at an interval, if one is given', async () => {
  const sync = vi.fn(async () => {});
  let wake = () => {};
  const sleeps: number[] = [];
  const clock = {
    ...testClock(),
    sleep: (milliseconds: number, signal?: AbortSignal) => {
      sleeps.push(milliseconds);
      return new Promise<void>((resolve, reject) => {
        wake = resolve;
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  const connectors = [memoryConnector()];
  const without = watchSources({ connectors, sync, logger: silentLogger, clock });
  await without.close();
  expect(sleeps).toEqual([]);
  const watch = watchSources({ connectors, sync, logger: silentLogger, clock, intervalMs: 60_000 });
  expect(sync).not.toHaveBeenCalled();
  wake();
  await vi.waitFor(() => expect(sleeps).toEqual([60_000, 60_000]));
  expect(sync).toHaveBeenCalledTimes(1);
  await watch.close();
});

function watched() {
  let change = () => {};
  let isClosed = false;
  const connector: Connector = {
    ...memoryConnector(),
    watch(onChange) {
      change = onChange;
      return {
        close: async () => {
          isClosed = true;
        },
      };
    },
  };
  return { connector, change: () => change(), isClosed: () => isClosed };
}

function heldSync() {
  let runs = 0;
  let finish = () => {};
  const sync = () => {
    runs += 1;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  return { sync, runs: () => runs, finish: () => finish() };
}
