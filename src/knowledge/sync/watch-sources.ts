import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type Connector, sourceLabel } from '../connector.ts';
import type { Knowledge } from '../knowledge.ts';

export interface WatchParts {
  connectors: readonly Connector[];
  /** Brings one source up to date. */
  sync(connector: Connector): Promise<unknown>;
  logger: Logger;
  clock: Clock;
  /** For sources that cannot be watched; left alone without it. */
  intervalMs?: number;
}

/** Syncs a source whenever it changed; never twice at once, and once more when it changed meanwhile. */
export function watchSources(parts: WatchParts): { close(): Promise<void> } {
  const ending = new AbortController();
  const keepers: { settled(): Promise<void> }[] = [];
  const watches: { close(): Promise<void> }[] = [];
  for (const connector of parts.connectors) {
    const keeper = keepUpToDate(connector, parts, ending.signal);
    keepers.push(keeper);
    const onFailure = (error: unknown) =>
      parts.logger.warn(
        { err: error, source: sourceLabel(connector) },
        'a source cannot be watched; it is looked at now and then',
      );
    if (connector.watch) watches.push(connector.watch(keeper.changed, onFailure));
    else if (parts.intervalMs !== undefined) repeat(keeper.changed, parts.intervalMs, parts, ending.signal);
  }
  return {
    async close() {
      ending.abort(new Error('no longer watched'));
      await Promise.all(watches.map((watch) => watch.close()));
      await Promise.all(keepers.map((keeper) => keeper.settled()));
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
  // It ends when it is told to, by an error.
  loop().catch(() => {});
}

/**
 * Catches up with what happened while nobody followed, then follows changes; those too of sources that the config or
 * the web app adds meanwhile.
 */
export function followSources(knowledge: Knowledge, logger: Logger): { close(): Promise<void> } {
  let watching: { close(): Promise<void> } | undefined;
  let isClosed = false;
  let last = Promise.resolve();
  const again = () => {
    last = last.then(restart).catch((error: unknown) => logger.error({ err: error }, 'sources cannot be followed'));
  };
  const stop = knowledge.events.on(({ type }) => {
    if (type === 'sources') again();
  });
  again();
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
