import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type Connector, sourceLabel } from '../connector.ts';
import type { Knowledge } from '../knowledge.ts';

export interface WatchParts {
  connectors: readonly Connector[];
  /** Syncs one source. */
  sync(connector: Connector): Promise<unknown>;
  logger: Logger;
  clock: Clock;
  /** How often to sync sources that cannot be watched. Without it, they are not synced. */
  intervalMs?: number;
}

/** Syncs each source whenever it changes, one sync at a time. A change during a sync starts another one. */
export function watchSources(parts: WatchParts): { close(): Promise<void> } {
  const ending = new AbortController();
  const syncers: { settled(): Promise<void> }[] = [];
  const watches: { close(): Promise<void> }[] = [];
  for (const connector of parts.connectors) {
    const syncer = keepUpToDate(connector, parts, ending.signal);
    syncers.push(syncer);
    const onFailure = (error: unknown) =>
      parts.logger.warn(
        { err: error, source: sourceLabel(connector) },
        'a source cannot be watched; it is polled instead',
      );
    if (connector.watch) watches.push(connector.watch(syncer.changed, onFailure));
    else if (parts.intervalMs !== undefined) repeat(syncer.changed, parts.intervalMs, parts, ending.signal);
  }
  return {
    async close() {
      ending.abort(new Error('no longer watched'));
      await Promise.all(watches.map((watch) => watch.close()));
      await Promise.all(syncers.map((syncer) => syncer.settled()));
    },
  };
}

function keepUpToDate(connector: Connector, { sync, logger }: WatchParts, signal: AbortSignal) {
  let last: Promise<void> = Promise.resolve();
  let isRunning = false;
  let mustRunAgain = false;
  return {
    changed(): void {
      if (signal.aborted) return;
      if (isRunning) mustRunAgain = true;
      else last = run();
    },
    settled: () => last,
  };

  async function run(): Promise<void> {
    isRunning = true;
    do {
      mustRunAgain = false;
      try {
        await sync(connector);
      } catch (error) {
        logger.error({ err: error, source: sourceLabel(connector) }, 'a watched source could not be synced');
      }
    } while (mustRunAgain && !signal.aborted);
    isRunning = false;
  }
}

function repeat(run: () => void, everyMs: number, { clock }: WatchParts, signal: AbortSignal): void {
  const loop = async () => {
    for (;;) {
      await clock.sleep(everyMs, signal);
      run();
    }
  };
  // The loop ends only when it is aborted.
  loop().catch(() => {});
}

/**
 * Syncs all sources once, then whenever they change. Restarts when sources are added or removed.
 */
export function followSources(knowledge: Knowledge, logger: Logger): { close(): Promise<void> } {
  let watching: { close(): Promise<void> } | undefined;
  let isClosed = false;
  let last = Promise.resolve();
  const scheduleRestart = () => {
    last = last.then(restart).catch((error: unknown) => logger.error({ err: error }, 'sources could not be watched'));
  };
  const stop = knowledge.events.on(({ type }) => {
    if (type === 'sources') scheduleRestart();
  });
  scheduleRestart();
  return {
    async close() {
      isClosed = true;
      stop();
      await last;
      await watching?.close();
    },
  };

  async function restart(): Promise<void> {
    if (isClosed) return;
    const before = watching;
    watching = undefined;
    await before?.close();
    await knowledge.startSync({ target: 'all' });
    watching = knowledge.watch();
  }
}
