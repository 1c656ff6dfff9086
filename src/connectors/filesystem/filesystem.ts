import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Connector } from '../../knowledge/connector.ts';
import { chooseFiles } from '../choose-files.ts';
import { ignoreFileNames } from '../ignore-rules.ts';
import { tooLarge, whyUnreadable } from '../read-problems.ts';
import { explainFile, watchFilter } from './judge-path.ts';
import { walkFolder } from './walk-folder.ts';

export interface FilesystemSettings {
  name: string;
  /** Absolute. */
  root: string;
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  follow_symlinks: boolean;
  /** Whether .gitignore, .ignore and .zooignore count; they do when left out. */
  ignore_files?: boolean | undefined;
  max_extract_bytes: number;
  tags: readonly string[];
  /** Which files are taken where no include globs are given. */
  takes?: ((name: string) => boolean) | undefined;
}

/** A folder on this machine. Throws INVALID_ARGUMENTS for a glob that cannot be used. */
export function filesystemConnector(settings: FilesystemSettings, clock: Clock = systemClock): Connector {
  const { root, max_extract_bytes: maxBytes, ignore_files: ignoreFiles = true } = settings;
  const choice = chooseFiles(settings);
  const tags = [...settings.tags];

  return {
    type: 'filesystem',
    name: settings.name,
    place: root,

    async *scan(context) {
      const { fail } = context;
      const files = walkFolder({
        ...context,
        root,
        choice,
        ignoreFiles,
        followSymlinks: settings.follow_symlinks,
        clock,
      });
      for await (const file of files) {
        if (file.size > maxBytes) fail(file.path, tooLarge(file.size, maxBytes));
        else {
          yield {
            sourceId: file.path,
            version: file.version,
            updatedAt: file.updatedAt,
            url: file.url,
            ...(tags.length > 0 && { tags }),
            read: (reading) => readWhole(file.absolutePath, maxBytes, reading),
          };
        }
      }
    },

    explain: (path) => explainFile({ root, choice, ignoreFiles, followSymlinks: settings.follow_symlinks }, path),

    watch(onChange, onFailure) {
      return watchFolder({
        root,
        followSymlinks: settings.follow_symlinks,
        toFilter: () => watchFilter({ root, choice, ignoreFiles }),
        onChange,
        onFailure,
      });
    },
  };
}

/** A file may have grown since the scan, or not be one any more. */
async function readWhole(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  try {
    const now = await stat(path);
    if (!now.isFile()) throw new HubError('NOT_FOUND', 'It is not a file any more.');
    if (now.size > maxBytes) throw new HubError('TOO_LARGE', tooLarge(now.size, maxBytes));
    return await readFile(path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HubError) throw error;
    throw new HubError('UNAVAILABLE', `It ${whyUnreadable(error)}.`, { cause: error });
  }
}

interface FolderWatch {
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
function watchFolder({ root, followSymlinks, toFilter, onChange, onFailure }: FolderWatch): {
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
