import type { Logger } from '../base/logger.ts';

/** Waits until editors, which write in several steps, are done. */
const settleMs = 40;

export interface FileWatch {
  /** Whether the watcher sees all changes. If false, the caller must check the file itself. */
  readonly isReady: boolean;
  close(): Promise<void>;
}

/**
 * Calls `onChange` after each change, deletion or creation of a file. The watcher is loaded a moment later, to keep start-up
 * fast; the first call comes when it is ready, for changes until then. Logs failures of the watcher.
 */
export function watchFile(file: string, { onChange, logger }: { onChange: () => void; logger: Logger }): FileWatch {
  let isReady = false;
  let isClosed = false;
  let settling: NodeJS.Timeout | undefined;
  let stop: (() => Promise<void>) | undefined;
  const starting = new Promise<void>((done) => {
    setImmediate(() => {
      void start().catch(fail).then(done);
    });
  });

  return {
    get isReady() {
      return isReady;
    },
    async close() {
      isClosed = true;
      isReady = false;
      clearTimeout(settling);
      await starting;
      await stop?.();
    },
  };

  async function start(): Promise<void> {
    if (isClosed) return;
    const { watch } = await import('chokidar');
    if (isClosed) return;
    const watcher = watch(file, { ignoreInitial: true });
    stop = () => watcher.close();
    watcher.on('all', settle);
    watcher.on('ready', () => {
      isReady = true;
      settle();
    });
    watcher.on('error', fail);
  }

  function fail(error: unknown): void {
    isReady = false;
    logger.warn({ err: error, file }, 'file cannot be watched; it is checked again on each use');
  }

  function settle(): void {
    clearTimeout(settling);
    if (!isClosed) settling = setTimeout(onChange, settleMs);
  }
}
