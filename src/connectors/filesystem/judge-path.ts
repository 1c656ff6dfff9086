import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import { isInside } from '../../base/real-path.ts';
import type { FileExplanation } from '../../knowledge/connector.ts';
import type { FileChoice } from '../choose-files.ts';
import { IgnoreRules, ignoreFileNames } from '../ignore-rules.ts';
import { explainVerdict, judgeEntry } from '../judge-entry.ts';
import { readIgnoreFiles, readIgnoreFilesNow, rulesOfRoot } from '../read-ignore-files.ts';
import { type JudgedTarget, targetJudge } from './judge-target.ts';

export interface FolderChoice {
  root: string;
  choice: FileChoice;
  ignoreFiles: boolean;
}

/** Explains why a file is indexed or skipped, walking down from the root like a scan. Throws NOT_FOUND for a file that is not in the folder. */
export async function explainFile(
  { root, choice, ignoreFiles, followSymlinks }: FolderChoice & { followSymlinks: boolean },
  path: string,
): Promise<FileExplanation> {
  const absolute = resolve(root, path);
  const inside = relative(root, absolute).split(sep).join('/');
  const exists = inside !== '' && !inside.startsWith('..') && (await lstat(absolute).catch(() => undefined));
  if (!exists) throw new HubError('NOT_FOUND', `There is no file ${path} in the folder ${root}.`);
  const realRoot = await realpath(root);
  const judgeTarget = targetJudge({ realRoot, choice, ignoreFiles });
  let ignore = ignoreFiles ? await rulesOfRoot(realRoot) : undefined;
  // Behind a link: the rules at the target.
  let ignoreAtTarget: IgnoreRules | undefined;
  const parts = inside.split('/');
  for (const [index, name] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const here = parts.slice(0, index + 1).join('/');
    const location = join(root, here);
    const target = (await lstat(location)).isSymbolicLink() ? await realpath(location).catch(() => null) : undefined;
    if (target === null)
      throw new HubError('NOT_FOUND', `${here} is a link in the folder ${root} whose target does not exist.`);
    const isFolder = (await stat(location)).isDirectory();
    const behind = target !== undefined && followSymlinks ? await followLink(target, isFolder) : undefined;
    const verdict =
      (target !== undefined && !followSymlinks ? { reason: 'link' as const } : undefined) ??
      judgeEntry({ choice, ignore }, here, isFolder) ??
      (ignoreAtTarget && judgeEntry({ choice, ignore: ignoreAtTarget }, here, isFolder)) ??
      behind?.verdict;
    if (verdict) return explainVerdict(inside, verdict, isLast ? undefined : here);
    if (isLast) break;
    const { files, isRepository } = await readIgnoreFiles(location);
    ignore = ignore?.enter(name, files, isRepository);
    ignoreAtTarget = behind ? behind.ignore : ignoreAtTarget?.enter(name, files, isRepository);
  }
  return explainVerdict(inside, undefined);

  function followLink(target: string, isFolder: boolean): JudgedTarget | Promise<JudgedTarget> {
    const isScannedAnyway = isFolder && (isInside(target, realRoot) || isInside(realRoot, target));
    if (!isScannedAnyway) return judgeTarget(target, isFolder);
    return { verdict: { reason: 'link', target: relative(realRoot, target) || '.' }, ignore: undefined };
  }
}

/** Returns the filter for a watcher, which needs synchronous decisions. Reads the rules of a folder on first use and caches them. */
export async function watchFilter({
  root,
  choice,
  ignoreFiles,
}: FolderChoice): Promise<(path: string, isFile: boolean) => boolean> {
  // A missing root has no rules. The scan reports an unreadable one.
  const ofRoot = ignoreFiles
    ? await realpath(root)
        .then(rulesOfRoot)
        .catch(() => new IgnoreRules())
    : undefined;
  const known = new Map<string, { ignore: IgnoreRules | undefined; isLeftOut: boolean }>([
    ['.', { ignore: ofRoot, isLeftOut: false }],
  ]);
  return (absolute, isFile) => {
    const path = relative(root, absolute).split(sep).join('/');
    if (path === '') return false;
    const above = rulesIn(dirname(path));
    if (above.isLeftOut) return true;
    // Ignore files are always watched, because a changed rule changes what is indexed.
    if (ignoreFiles && (ignoreFileNames as readonly string[]).includes(basename(path))) return false;
    return isLeftOut(above.ignore, path, !isFile);
  };

  /** Watches paths whose rules cannot be evaluated. The scan reports the problem. */
  function isLeftOut(ignore: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
    try {
      return judgeEntry({ choice, ignore }, path, isFolder) !== undefined;
    } catch {
      return false;
    }
  }

  function rulesIn(folder: string): { ignore: IgnoreRules | undefined; isLeftOut: boolean } {
    const before = known.get(folder);
    if (before) return before;
    const found = readRules(folder);
    known.set(folder, found);
    return found;
  }

  function readRules(folder: string) {
    const above = rulesIn(dirname(folder));
    if (above.isLeftOut || isLeftOut(above.ignore, folder, true)) return { ignore: undefined, isLeftOut: true };
    const { files, isRepository } = readIgnoreFilesNow(join(root, folder));
    try {
      return { ignore: above.ignore?.enter(basename(folder), files, isRepository), isLeftOut: false };
    } catch {
      return { ignore: above.ignore?.enter(basename(folder), {}, isRepository), isLeftOut: false };
    }
  }
}
