import type { Logger } from '../base/logger.ts';
import type { Knowledge } from './knowledge.ts';

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
