import type { Logger } from '../base/logger.ts';

/** Editors write in several steps (truncate and write, or write and rename): read when they are done. */
const settleMs = 40;

export interface FileWatch {
  /** False until the watcher sees every change, and again when it fails: then the caller must look for itself. */
  readonly isReady: boolean;
  close(): Promise<void>;
}

/**
 * Calls back after each change, deletion or return of one file. The watcher is loaded a moment later, off the path
 * to the first answer; the first call back comes when it is ready, for what happened until then. A watcher that cannot be
 * loaded or fails is logged.
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
    logger.warn({ err: error, file }, 'a file cannot be watched; it is read again when it is next needed');
  }

  function settle(): void {
    clearTimeout(settling);
    if (!isClosed) settling = setTimeout(onChange, settleMs);
  }
}
