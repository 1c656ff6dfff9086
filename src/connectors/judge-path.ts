import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import type { FileExplanation } from '../knowledge/connector.ts';
import type { FileChoice } from './choose-files.ts';
import { IgnoreRules, ignoreFileNames } from './ignore-rules.ts';
import { explainVerdict, judgeEntry } from './judge-entry.ts';
import { readIgnoreFiles, readIgnoreFilesNow, rulesOfRoot } from './read-ignore-files.ts';

export interface FolderChoice {
  root: string;
  choice: FileChoice;
  ignoreFiles: boolean;
}

/** Walks from the root down to one file, as a scan would. Throws NOT_FOUND for a file that is not in the folder. */
export async function explainFile(
  { root, choice, ignoreFiles, followSymlinks }: FolderChoice & { followSymlinks: boolean },
  path: string,
): Promise<FileExplanation> {
  const absolute = resolve(root, path);
  const inside = relative(root, absolute).split(sep).join('/');
  const facts = inside === '' || inside.startsWith('..') ? undefined : await lstat(absolute).catch(() => undefined);
  if (!facts) throw new HubError('NOT_FOUND', `There is no file ${path} in the folder ${root}.`);
  const parts = inside.split('/');
  let ignore = ignoreFiles ? await rulesOfRoot(await realpath(root)) : undefined;
  for (let end = 1; end < parts.length; end++) {
    const folder = parts.slice(0, end).join('/');
    if (!followSymlinks && (await lstat(join(root, folder))).isSymbolicLink()) {
      return explainVerdict(inside, { reason: 'link' }, folder);
    }
    const verdict = judgeEntry({ choice, ignore }, folder, true);
    if (verdict) return explainVerdict(inside, verdict, folder);
    const { files, isRepository } = await readIgnoreFiles(join(root, folder));
    ignore = ignore?.enter(parts[end - 1] ?? '', files, isRepository);
  }
  if (!followSymlinks && facts.isSymbolicLink()) return explainVerdict(inside, { reason: 'link' });
  return explainVerdict(inside, judgeEntry({ choice, ignore }, inside, facts.isDirectory()));
}

/** The decision for a watcher, which cannot wait: rules are read when a folder is first seen, and kept. */
export async function watchFilter({
  root,
  choice,
  ignoreFiles,
}: FolderChoice): Promise<(path: string, isFile: boolean) => boolean> {
  // A root that is not there yet has no rules; the scan says what is wrong with one that cannot be read.
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
    // A change of the rules is a change of what they hide.
    if (ignoreFiles && (ignoreFileNames as readonly string[]).includes(basename(path))) return false;
    return judgeEntry({ choice, ignore: above.ignore }, path, !isFile) !== undefined;
  };

  function rulesIn(folder: string): { ignore: IgnoreRules | undefined; isLeftOut: boolean } {
    const before = known.get(folder);
    if (before) return before;
    const found = readRules(folder);
    known.set(folder, found);
    return found;
  }

  function readRules(folder: string) {
    const above = rulesIn(dirname(folder));
    if (above.isLeftOut || judgeEntry({ choice, ignore: above.ignore }, folder, true)) {
      return { ignore: undefined, isLeftOut: true };
    }
    const { files, isRepository } = readIgnoreFilesNow(join(root, folder));
    return { ignore: above.ignore?.enter(basename(folder), files, isRepository), isLeftOut: false };
  }
}
