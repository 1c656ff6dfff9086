import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { ScanContext } from '../../knowledge/connector.ts';
import type { FileChoice } from '../choose-files.ts';
import type { IgnoreRules } from '../ignore-rules.ts';
import { judgeEntry, type Verdict } from '../judge-entry.ts';
import { readIgnoreFiles, rulesOfRoot } from '../read-ignore-files.ts';
import { isGone, whyUnreadable } from '../read-problems.ts';
import { isInside, targetJudge } from './judge-target.ts';

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
  /** What is read: of a link the target, as it was judged. */
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
  /** Behind a link: the rules where the folder lies. They count as well. */
  ignoreThere?: IgnoreRules | undefined;
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
  const judgeTarget = targetJudge({ realRoot, choice, ignoreFiles: options.ignoreFiles });
  const followed = new Set<string>();
  const folders: Folder[] = [{ path: '', absolutePath: root, ignore: undefined }];

  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    let group: Promise<FoundFile | undefined>[] = [];
    try {
      const directory = await opendir(folder.absolutePath, { bufferSize: 256 });
      await readRules(folder).catch(async (error: unknown) => {
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
      if (isTaken(path, folder, true)) folders.push({ ...folder, path, absolutePath });
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

  function isTaken(path: string, folder: Folder, isFolder: boolean): boolean {
    try {
      const verdict = judge(path, folder, isFolder);
      if (verdict) skip(path, verdict.reason, { isFolder });
      return verdict === undefined;
    } catch (error) {
      failEntry(path, isFolder, error);
      return false;
    }
  }

  function judge(path: string, { ignore, ignoreThere }: Folder, isFolder: boolean): Verdict | undefined {
    return (
      judgeEntry({ choice, ignore }, path, isFolder) ??
      (ignoreThere && judgeEntry({ choice, ignore: ignoreThere }, path, isFolder))
    );
  }

  /** Throws what is no sentence for people. */
  function failEntry(path: string, isFolder: boolean, error: unknown, before = ''): void {
    if (!(error instanceof HubError)) throw error;
    (isFolder ? options.failFolder : fail)(path, before + error.message);
  }

  /** `folder` has the rules of the one above it; then it has its own. */
  async function readRules(folder: Folder): Promise<void> {
    if (!options.ignoreFiles) return;
    if (!folder.ignore) {
      folder.ignore = await rulesOfRoot(realRoot);
      return;
    }
    const { files, isRepository } = await readIgnoreFiles(folder.absolutePath);
    const name = folder.path.slice(folder.path.lastIndexOf('/') + 1);
    folder.ignore = folder.ignore.enter(name, files, isRepository);
    // The folder that a link leads to has its rules already.
    if (!followed.has(folder.absolutePath)) folder.ignoreThere = folder.ignoreThere?.enter(name, files, isRepository);
  }

  async function follow(path: string, link: string, folder: Folder): Promise<FoundFile | undefined> {
    const found = await lookBehind(link).catch((error: unknown) => {
      if (!isGone(error)) failLink(path, folder, `It ${whyUnreadable(error)}.`);
      return undefined;
    });
    if (!found) return undefined;
    const { real, isFolder } = found;
    if (!isTaken(path, folder, isFolder)) return undefined;
    if (isFolder && !isNew(real)) {
      skip(path, 'link', { isFolder });
      return undefined;
    }
    if (isFolder) followed.add(real);
    try {
      const target = await judgeTarget(real, isFolder);
      if (target.verdict) skip(path, target.verdict.reason, { isFolder });
      else if (!isFolder) return await facts(path, real, () => stat(real, { bigint: true }));
      else folders.push({ path, absolutePath: real, ignore: folder.ignore, ignoreThere: target.ignore });
    } catch (error) {
      failEntry(path, isFolder, error, `It leads to ${real}, where ignore files cannot be read: `);
    }
    return undefined;
  }

  /** Whether a file or a folder is behind it is not known, so what is known of either stays. */
  function failLink(path: string, folder: Folder, message: string): void {
    try {
      if (judge(path, folder, false) && judge(path, folder, true)) return;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
    }
    options.failFolder(path, message);
  }

  /** What lies in the root is seen under its own name; what holds the root would never end. */
  function isNew(real: string): boolean {
    return ![realRoot, ...followed].some((other) => isInside(real, other) || isInside(other, real));
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
        url: pathToFileURL(join(root, path)).href,
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

/** Undefined for what is neither a file nor a folder. */
async function lookBehind(link: string): Promise<{ real: string; isFolder: boolean } | undefined> {
  const target = await stat(link);
  const isFolder = target.isDirectory();
  return isFolder || target.isFile() ? { real: await realpath(link), isFolder } : undefined;
}

async function found(group: readonly Promise<FoundFile | undefined>[]): Promise<FoundFile[]> {
  return (await Promise.all(group)).filter((file) => file !== undefined);
}

const unspeakable = 'Its name is not UTF-8. Rename it.';

/** Node reads a name that is not UTF-8 with this sign in it, and then finds no such file. */
function isUnspeakable(path: string): boolean {
  return path.includes('\uFFFD');
}
