import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ScanContext } from '../knowledge/connector.ts';
import type { FileChoice } from './choose-files.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { judgeEntry } from './judge-entry.ts';
import { readIgnoreFiles, rulesOfRoot } from './read-ignore-files.ts';
import { isGone, whyUnreadable } from './read-problems.ts';

export interface WalkOptions extends ScanContext {
  root: string;
  choice: FileChoice;
  /** Whether ignore files count. */
  ignoreFiles: boolean;
  followSymlinks: boolean;
  clock: Clock;
}

export interface FoundFile {
  /** Relative to the root, with `/` between its parts. */
  path: string;
  absolutePath: string;
  size: number;
  version: string;
  updatedAt: number;
  url: string;
}

interface Folder {
  path: string;
  absolutePath: string;
  /** Of the folder above, until it is entered. */
  ignore: IgnoreRules | undefined;
}

/** Files looked at together. */
const atOnce = 32;
/** Two writes within one tick of the file system's clock have the same times. */
const tickMs = 50;

/**
 * Yields every chosen file below a folder, and tells what is left out. A folder that cannot be read is a failure of its
 * own: what lies in it is unknown, not gone. Throws UNAVAILABLE when the root cannot be read.
 */
export async function* walkFolder(options: WalkOptions): AsyncGenerator<FoundFile> {
  const { root, choice, signal, fail, skip } = options;
  const realRoot = await realpath(root).catch((error: unknown) => {
    throw new HubError('UNAVAILABLE', `The folder ${root} ${whyUnreadable(error)}.`, { cause: error });
  });
  const followed = new Set<string>();
  const folders: Folder[] = [{ path: '', absolutePath: root, ignore: undefined }];

  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    let group: Promise<FoundFile | undefined>[] = [];
    try {
      const directory = await opendir(folder.absolutePath, { bufferSize: 256 });
      folder.ignore = await rulesIn(folder).catch(async (error: unknown) => {
        await directory.close();
        throw error;
      });
      for await (const entry of directory) {
        signal.throwIfAborted();
        group.push(look(entry, folder));
        if (group.length < atOnce) continue;
        yield* await found(group);
        group = [];
      }
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof HubError ? error.message : `It ${whyUnreadable(error)}.`;
      if (folder.path === '') {
        const sentence =
          error instanceof HubError ? `${root} cannot be read: ${why}` : `${root} ${whyUnreadable(error)}.`;
        throw new HubError('UNAVAILABLE', `The folder ${sentence}`, { cause: error });
      }
      if (!isGone(error)) options.failFolder(folder.path, why);
      else if (isUnspeakable(folder.path)) fail(folder.path, unspeakable);
    }
    yield* await found(group);
  }

  /** Adds a folder to those to walk through; tells the facts of a file that is taken. */
  async function look(entry: Dirent, folder: Folder): Promise<FoundFile | undefined> {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    const absolutePath = join(folder.absolutePath, entry.name);
    if (entry.isDirectory()) {
      if (isTaken(path, folder, true)) folders.push({ path, absolutePath, ignore: folder.ignore });
      return undefined;
    }
    if (entry.isSymbolicLink()) {
      if (options.followSymlinks) return follow(path, absolutePath, folder);
      skip(path, 'link');
      return undefined;
    }
    if (!entry.isFile() || !isTaken(path, folder, false)) return undefined;
    return facts(path, absolutePath, () => lstat(absolutePath, { bigint: true }));
  }

  function isTaken(path: string, { ignore }: Folder, isFolder: boolean): boolean {
    const verdict = judgeEntry({ choice, ignore }, path, isFolder);
    if (verdict) skip(path, verdict.reason, { isFolder });
    return verdict === undefined;
  }

  async function rulesIn({ path, absolutePath, ignore }: Folder): Promise<IgnoreRules | undefined> {
    if (!options.ignoreFiles) return undefined;
    if (!ignore) return rulesOfRoot(realRoot);
    const { files, isRepository } = await readIgnoreFiles(absolutePath);
    return ignore.enter(path.slice(path.lastIndexOf('/') + 1), files, isRepository);
  }

  async function follow(path: string, absolutePath: string, folder: Folder): Promise<FoundFile | undefined> {
    try {
      const target = await stat(absolutePath);
      if (target.isFile()) {
        return isTaken(path, folder, false)
          ? facts(path, absolutePath, () => stat(absolutePath, { bigint: true }))
          : undefined;
      }
      if (!target.isDirectory() || !isTaken(path, folder, true)) return undefined;
      const real = await realpath(absolutePath);
      // What lies in the root is seen under its own name; what holds the root would never end.
      if (isInside(real, realRoot) || isInside(realRoot, real) || followed.has(real)) return undefined;
      if ([...followed].some((other) => isInside(real, other) || isInside(other, real))) return undefined;
      followed.add(real);
      folders.push({ path, absolutePath, ignore: folder.ignore });
    } catch (error) {
      if (!isGone(error) && !judgeEntry({ choice, ignore: folder.ignore }, path, false)) {
        fail(path, `It ${whyUnreadable(error)}.`);
      }
    }
    return undefined;
  }

  async function facts(
    path: string,
    absolutePath: string,
    read: () => ReturnType<typeof bigStat>,
  ): Promise<FoundFile | undefined> {
    try {
      const { size, mtimeNs, ctimeNs, ino, mtimeMs, ctimeMs } = await read();
      const isFresh = options.clock.now() - Number(ctimeMs) < tickMs;
      return {
        path,
        absolutePath,
        size: Number(size),
        version: `${size}-${mtimeNs}-${ctimeNs}-${ino}${isFresh ? '-fresh' : ''}`,
        updatedAt: Number(mtimeMs),
        url: pathToFileURL(absolutePath).href,
      };
    } catch (error) {
      if (!isGone(error)) fail(path, `It ${whyUnreadable(error)}.`);
      else if (isUnspeakable(path)) fail(path, unspeakable);
      return undefined;
    }
  }
}

function bigStat(path: string) {
  return lstat(path, { bigint: true });
}

async function found(group: readonly Promise<FoundFile | undefined>[]): Promise<FoundFile[]> {
  return (await Promise.all(group)).filter((file) => file !== undefined);
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

const unspeakable = 'Its name is not UTF-8. Rename it.';

/** Node reads a name that is not UTF-8 with this sign in it, and then finds no such file. */
function isUnspeakable(path: string): boolean {
  return path.includes('\uFFFD');
}
