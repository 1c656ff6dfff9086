import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { isInside } from '../../base/real-path.ts';
import type { ScanContext } from '../../knowledge/connector.ts';
import type { FileChoice } from '../choose-files.ts';
import type { IgnoreRules } from '../ignore-rules.ts';
import { judgeEntry, type Verdict } from '../judge-entry.ts';
import { readIgnoreFiles, rulesOfRoot } from '../read-ignore-files.ts';
import { isGone, whyUnreadable } from '../read-problems.ts';
import { targetJudge } from './judge-target.ts';

export interface WalkOptions extends ScanContext {
  root: string;
  choice: FileChoice;
  /** Whether ignore files count. */
  ignoreFiles: boolean;
  followSymlinks: boolean;
  clock: Clock;
}

export interface FoundFile {
  /** Relative to the root, separated by `/`. */
  path: string;
  /** The file to read. For a link: its target. */
  absolutePath: string;
  size: number;
  version: string;
  updatedAt: number;
  url: string;
}

interface Folder {
  path: string;
  absolutePath: string;
  /** The rules of the parent folder, until this folder is entered. */
  ignore: IgnoreRules | undefined;
  /** Behind a link: the rules at the target, which apply in addition. */
  ignoreAtTarget?: IgnoreRules | undefined;
}

/** How many entries are inspected at once. */
const maxConcurrent = 32;
/** The resolution of file times: two writes within it may have the same times. */
const tickMs = 50;

/**
 * Yields every included file below a folder, and reports skipped ones. An unreadable folder is reported as failed, because
 * its contents are unknown, not gone. Throws UNAVAILABLE when the root cannot be read.
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
        group.push(inspect(entry, folder));
        if (group.length < maxConcurrent) continue;
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
      else if (hasInvalidName(folder.path)) fail(folder.path, invalidName);
    }
    yield* await found(group);
  }

  /** Queues a folder, or returns an included file. */
  async function inspect(entry: Dirent, folder: Folder): Promise<FoundFile | undefined> {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    const absolutePath = join(folder.absolutePath, entry.name);
    if (entry.isDirectory()) {
      if (isIncluded(path, folder, true)) folders.push({ ...folder, path, absolutePath });
      return undefined;
    }
    if (entry.isSymbolicLink()) {
      if (options.followSymlinks) return follow(path, absolutePath, folder);
      skip(path, 'link');
      return undefined;
    }
    if (!entry.isFile() || !isIncluded(path, folder, false)) return undefined;
    return readFacts(path, absolutePath, () => lstat(absolutePath, { bigint: true }));
  }

  function isIncluded(path: string, folder: Folder, isFolder: boolean): boolean {
    try {
      const verdict = judge(path, folder, isFolder);
      if (verdict) skip(path, verdict.reason, { isFolder });
      return verdict === undefined;
    } catch (error) {
      failEntry(path, isFolder, error);
      return false;
    }
  }

  function judge(path: string, { ignore, ignoreAtTarget }: Folder, isFolder: boolean): Verdict | undefined {
    return (
      judgeEntry({ choice, ignore }, path, isFolder) ??
      (ignoreAtTarget && judgeEntry({ choice, ignore: ignoreAtTarget }, path, isFolder))
    );
  }

  /** Reports an error. Rethrows unexpected ones. */
  function failEntry(path: string, isFolder: boolean, error: unknown, before = ''): void {
    if (!(error instanceof HubError)) throw error;
    (isFolder ? options.failFolder : fail)(path, before + error.message);
  }

  /** Replaces the parent's rules in `folder` with its own. */
  async function readRules(folder: Folder): Promise<void> {
    if (!options.ignoreFiles) return;
    if (!folder.ignore) {
      folder.ignore = await rulesOfRoot(realRoot);
      return;
    }
    const { files, isRepository } = await readIgnoreFiles(folder.absolutePath);
    const name = folder.path.slice(folder.path.lastIndexOf('/') + 1);
    folder.ignore = folder.ignore.enter(name, files, isRepository);
    // The target of a link already has its rules.
    if (!followed.has(folder.absolutePath))
      folder.ignoreAtTarget = folder.ignoreAtTarget?.enter(name, files, isRepository);
  }

  async function follow(path: string, link: string, folder: Folder): Promise<FoundFile | undefined> {
    const found = await readTarget(link).catch((error: unknown) => {
      if (!isGone(error)) failLink(path, folder, `It ${whyUnreadable(error)}.`);
      return undefined;
    });
    if (!found) return undefined;
    const { real, isFolder } = found;
    if (!isIncluded(path, folder, isFolder)) return undefined;
    if (isFolder && !isNew(real)) {
      skip(path, 'link', { isFolder });
      return undefined;
    }
    if (isFolder) followed.add(real);
    try {
      const target = await judgeTarget(real, isFolder);
      if (target.verdict) skip(path, target.verdict.reason, { isFolder });
      else if (!isFolder) return await readFacts(path, real, () => stat(real, { bigint: true }));
      else folders.push({ path, absolutePath: real, ignore: folder.ignore, ignoreAtTarget: target.ignore });
    } catch (error) {
      failEntry(path, isFolder, error, `It links to ${real}, where ignore files cannot be read: `);
    }
    return undefined;
  }

  /** Reports a folder, because the target may be a file or a folder, and the index must keep both. */
  function failLink(path: string, folder: Folder, message: string): void {
    try {
      if (judge(path, folder, false) && judge(path, folder, true)) return;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
    }
    options.failFolder(path, message);
  }

  /** Rejects targets inside the root, which are scanned anyway, and targets that contain it, which would never end. */
  function isNew(real: string): boolean {
    return ![realRoot, ...followed].some((other) => isInside(real, other) || isInside(other, real));
  }

  async function readFacts(
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
      else if (hasInvalidName(path)) fail(path, invalidName);
      return undefined;
    }
  }
}

function bigStat(path: string) {
  return lstat(path, { bigint: true });
}

/** Returns undefined for a target that is neither a file nor a folder. */
async function readTarget(link: string): Promise<{ real: string; isFolder: boolean } | undefined> {
  const target = await stat(link);
  const isFolder = target.isDirectory();
  return isFolder || target.isFile() ? { real: await realpath(link), isFolder } : undefined;
}

async function found(group: readonly Promise<FoundFile | undefined>[]): Promise<FoundFile[]> {
  return (await Promise.all(group)).filter((file) => file !== undefined);
}

const invalidName = 'Its name is not UTF-8. Rename it.';

/** Node puts this character into names that are not UTF-8, and then cannot find the file. */
function hasInvalidName(path: string): boolean {
  return path.includes('\uFFFD');
}
