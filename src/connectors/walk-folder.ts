import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ScanContext } from '../knowledge/connector.ts';
import type { FileChoice } from './choose-files.ts';
import { whyUnreadable } from './read-problems.ts';

export interface WalkOptions extends ScanContext {
  root: string;
  choice: FileChoice;
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
}

/** Files looked at together. */
const atOnce = 32;
/** Two writes within one tick of the file system's clock have the same times. */
const tickMs = 50;

/**
 * Every chosen file below a folder. A folder that cannot be read ends the walk with an error, but only after all
 * others were seen: what lies in it is unknown, not gone. Throws UNAVAILABLE.
 */
export async function* walkFolder(options: WalkOptions): AsyncGenerator<FoundFile> {
  const { root, choice, signal, fail } = options;
  const realRoot = await realpath(root).catch((error: unknown) => {
    throw new HubError('UNAVAILABLE', `The folder ${root} ${whyUnreadable(error)}.`, { cause: error });
  });
  const followed = new Set<string>();
  const unreadable: { folder: string; cause: unknown }[] = [];
  const folders: Folder[] = [{ path: '', absolutePath: root }];

  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    let group: Promise<FoundFile | undefined>[] = [];
    try {
      for await (const entry of await opendir(folder.absolutePath, { bufferSize: 256 })) {
        signal.throwIfAborted();
        group.push(look(entry, folder));
        if (group.length < atOnce) continue;
        yield* await found(group);
        group = [];
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isGone(error) || folder.path === '') unreadable.push({ folder: folder.absolutePath, cause: error });
      else if (isUnspeakable(folder.path)) fail(folder.path, unspeakable);
    }
    yield* await found(group);
  }

  const [first] = unreadable;
  if (first) {
    const more = unreadable.length > 1 ? ` So it is with ${unreadable.length - 1} more.` : '';
    throw new HubError(
      'UNAVAILABLE',
      `The folder ${first.folder} ${whyUnreadable(first.cause)}.${more} Nothing was removed.`,
      { cause: first.cause },
    );
  }

  /** Adds a folder to those to walk through; tells the facts of a file that is taken. */
  async function look(entry: Dirent, folder: Folder): Promise<FoundFile | undefined> {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    const absolutePath = join(folder.absolutePath, entry.name);
    if (entry.isDirectory()) {
      if (choice.entersFolder(path)) folders.push({ path, absolutePath });
      return undefined;
    }
    if (entry.isSymbolicLink()) return options.followSymlinks ? await follow(path, absolutePath) : undefined;
    if (!entry.isFile() || !choice.takesFile(path)) return undefined;
    return facts(path, absolutePath, () => lstat(absolutePath, { bigint: true }));
  }

  async function follow(path: string, absolutePath: string): Promise<FoundFile | undefined> {
    if (!choice.takesFile(path) && !choice.entersFolder(path)) return undefined;
    try {
      const target = await stat(absolutePath);
      if (target.isFile()) {
        return choice.takesFile(path)
          ? facts(path, absolutePath, () => stat(absolutePath, { bigint: true }))
          : undefined;
      }
      if (!target.isDirectory() || !choice.entersFolder(path)) return undefined;
      const real = await realpath(absolutePath);
      // What lies in the root is seen under its own name; what holds the root would never end.
      if (isInside(real, realRoot) || isInside(realRoot, real) || followed.has(real)) return undefined;
      if ([...followed].some((other) => isInside(real, other) || isInside(other, real))) return undefined;
      followed.add(real);
      folders.push({ path, absolutePath });
    } catch (error) {
      if (!isGone(error)) fail(path, `It ${whyUnreadable(error)}.`);
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

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
