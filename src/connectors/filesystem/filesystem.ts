import { readFile, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { isInside } from '../../base/real-path.ts';
import type { Connector } from '../../knowledge/connector.ts';
import { chooseFiles } from '../choose-files.ts';
import { ignoreFileNames } from '../ignore-rules.ts';
import { whyTooLarge, whyUnreadable } from '../read-problems.ts';
import { explainFile, watchFilter } from './judge-path.ts';
import { walkFolder } from './walk-folder.ts';

export interface FilesystemSettings {
  name: string;
  /** Absolute. */
  root: string;
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  isCtxGlobs?: boolean | undefined;
  follow_symlinks: boolean;
  /** Whether to apply .gitignore, .ignore and .zooignore. Default: true. */
  ignore_files?: boolean | undefined;
  max_extract_bytes: number;
  tags: readonly string[];
  /** The real path of a folder that must contain the root, after links are resolved. Default: the root may be anywhere. */
  confinedTo?: string | undefined;
  /** Which files to include without include globs. */
  takes?: ((name: string) => boolean) | undefined;
}

/** Connects a folder on this machine. Throws INVALID_ARGUMENTS for an unusable glob. */
export function filesystemConnector(settings: FilesystemSettings, clock: Clock = systemClock): Connector {
  const { root, max_extract_bytes: maxBytes, ignore_files: ignoreFiles = true } = settings;
  const choice = chooseFiles(settings);
  const tags = [...settings.tags];

  return {
    type: 'filesystem',
    name: settings.name,
    location: root,

    async *scan(context) {
      await checkConfined(settings);
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
        const problem = whyTooLarge(file.path, file.size, maxBytes);
        if (problem) fail(file.path, problem);
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

    async explain(path) {
      await checkConfined(settings);
      return explainFile({ root, choice, ignoreFiles, followSymlinks: settings.follow_symlinks }, path);
    },

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

/** Throws UNAVAILABLE if a link leads out of the folder that the source must stay in. */
async function checkConfined({ root, confinedTo }: FilesystemSettings): Promise<void> {
  if (confinedTo === undefined) return;
  const real = await realpath(root).catch(() => undefined);
  // The scan reports a folder that does not exist.
  if (real === undefined || isInside(real, confinedTo)) return;
  throw new HubError(
    'UNAVAILABLE',
    `${root} leads out of ${confinedTo}, to ${real}. Run "zoo trust" in ${confinedTo} to allow it.`,
  );
}

/** Checks size and type again, because the file may have changed since the scan. */
async function readWhole(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  try {
    const now = await stat(path);
    if (!now.isFile()) throw new HubError('NOT_FOUND', 'It is no longer a file.');
    const problem = whyTooLarge(path, now.size, maxBytes);
    if (problem) throw new HubError('TOO_LARGE', problem);
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
  /** Creates a function that tells whether to ignore a path. Called again when an ignore file changes. */
  toFilter(): Promise<(path: string, isFile: boolean) => boolean>;
  onChange: () => void;
  /** Called with the reason when the folder is polled instead. */
  onFailure: (error: unknown) => void;
}

/** Many files change together: calls back when they have been quiet for `quietMs`, at the latest after `patienceMs`. */
const quietMs = 200;
const patienceMs = 2_000;
/** The polling interval when the system cannot watch that many folders. */
const pollMs = 30_000;

/** Watches a folder. Also calls back once when the watcher is ready, for changes made until then. */
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
    settling = setTimeout(emit, Math.max(0, Math.min(quietMs, changedSince + patienceMs - now)));
  }

  function emit(): void {
    changedSince = undefined;
    if (haveRulesChanged) starting = starting.then(restart).catch(fail);
    else onChange();
  }

  /** Restarts with the new rules. The `ready` event then reports the change. */
  async function restart(): Promise<void> {
    haveRulesChanged = false;
    await stop?.();
    if (!isClosed) await start();
  }

  function fail(error: unknown): void {
    if (isClosed || polling) return;
    polling = setInterval(onChange, pollMs);
    onFailure(error);
  }
}

function isIgnoreFile(path: string): boolean {
  return (ignoreFileNames as readonly string[]).includes(basename(path));
}
