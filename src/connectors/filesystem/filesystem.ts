import { readFile, stat } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Connector } from '../../knowledge/connector.ts';
import { chooseFiles } from '../choose-files.ts';
import { tooLarge, whyUnreadable } from '../read-problems.ts';
import { explainFile, watchFilter } from './judge-path.ts';
import { walkFolder } from './walk-folder.ts';
import { watchFolder } from './watch-folder.ts';

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
