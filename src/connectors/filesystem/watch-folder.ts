import { basename } from 'node:path';
import { ignoreFileNames } from '../ignore-rules.ts';

export interface FolderWatch {
  root: string;
  followSymlinks: boolean;
  /** Whether to leave a path alone; made anew when an ignore file changes. */
  toFilter(): Promise<(path: string, isFile: boolean) => boolean>;
  onChange: () => void;
  /** Hears why the folder is only looked at now and then. */
  onFailure: (error: unknown) => void;
}

/** Many files change together: call back once they are quiet, but not never. */
const quietMs = 200;
const patienceMs = 2_000;
/** Where the system cannot watch so many folders, looking now and then must do. */
const lookAgainMs = 30_000;

/** The first call back comes when the watcher is ready, for what happened until then. */
export function watchFolder({ root, followSymlinks, toFilter, onChange, onFailure }: FolderWatch): {
  close(): Promise<void>;
} {
  let isClosed = false;
  let settling: NodeJS.Timeout | undefined;
  let changedSince: number | undefined;
  let polling: NodeJS.Timeout | undefined;
  let stop: (() => Promise<void>) | undefined;
  let haveRulesChanged = false;
  let starting = start().catch(fail);
  return {
    async close() {
      isClosed = true;
      clearTimeout(settling);
      clearInterval(polling);
      await starting;
      await stop?.();
    },
  };

  async function start(): Promise<void> {
    const [{ watch }, isIgnored] = await Promise.all([import('chokidar'), toFilter()]);
    if (isClosed) return;
    const watcher = watch(root, {
      ignoreInitial: true,
      followSymlinks,
      ignored: (path, stats) => isIgnored(path, stats?.isFile() ?? false),
    });
    stop = () => watcher.close();
    watcher.on('all', (_event, path) => {
      if (isIgnoreFile(path)) haveRulesChanged = true;
      settle();
    });
    watcher.on('ready', settle);
    watcher.on('error', fail);
  }

  function settle(): void {
    if (isClosed) return;
    const now = performance.now();
    changedSince ??= now;
    clearTimeout(settling);
    settling = setTimeout(tell, Math.max(0, Math.min(quietMs, changedSince + patienceMs - now)));
  }

  function tell(): void {
    changedSince = undefined;
    if (haveRulesChanged) starting = starting.then(restart).catch(fail);
    else onChange();
  }

  /** What was hidden may be watched now, and the other way round; being ready tells of the change. */
  async function restart(): Promise<void> {
    haveRulesChanged = false;
    await stop?.();
    if (!isClosed) await start();
  }

  function fail(error: unknown): void {
    if (isClosed || polling) return;
    polling = setInterval(onChange, lookAgainMs);
    onFailure(error);
  }
}

function isIgnoreFile(path: string): boolean {
  return (ignoreFileNames as readonly string[]).includes(basename(path));
}
