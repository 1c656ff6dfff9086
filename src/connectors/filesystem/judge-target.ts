import { basename, dirname, parse, relative, sep } from 'node:path';
import type { FileChoice } from '../choose-files.ts';
import type { IgnoreRules } from '../ignore-rules.ts';
import type { Verdict } from '../judge-entry.ts';
import { readIgnoreFiles, rulesOfRoot } from '../read-ignore-files.ts';

export interface TargetRules {
  /** The source's own folder, with no links in its path. */
  realRoot: string;
  choice: FileChoice;
  ignoreFiles: boolean;
}

export interface JudgedTarget {
  verdict: Verdict | undefined;
  /** Of a folder: the rules that hold in it where it lies. Undefined for files, and where ignore files do not count. */
  ignore: IgnoreRules | undefined;
}

interface FolderState {
  /** As globs see it: below the source relative to its root, elsewhere ''. */
  path: string;
  ignore: IgnoreRules | undefined;
  verdict: Verdict | undefined;
}

/**
 * Judges what a link leads to by its own name and place: a harmless name must not open what is hidden, ignored or a
 * secret. Inside the source the target's path counts as any other. Outside, the names count that lead to it from where
 * its path leaves that of the source, and the ignore files along them. Throws UNAVAILABLE when one cannot be read.
 */
export function targetJudge({ realRoot, choice, ignoreFiles }: TargetRules) {
  const known = new Map<string, Promise<FolderState>>();
  return judge;

  async function judge(target: string, isFolder: boolean): Promise<JudgedTarget> {
    const from = sharedFolder(realRoot, target);
    const shown = from === realRoot ? relative(realRoot, target).split(sep).join('/') : target;
    const state = await stateOf(from, isFolder ? target : dirname(target));
    const verdict = state.verdict ?? (isFolder ? undefined : judgeFile(state, basename(target)));
    return { verdict: verdict && { ...verdict, target: shown }, ignore: isFolder ? state.ignore : undefined };
  }

  function judgeFile({ path: folder, ignore }: FolderState, name: string): Verdict | undefined {
    const path = folder === '' ? name : `${folder}/${name}`;
    const reason = choice.whyNotTarget(path);
    if (reason) return { reason };
    return choice.isNamed(path) ? undefined : judgeByRules(ignore, name, false);
  }

  function stateOf(from: string, folder: string): Promise<FolderState> {
    const key = `${from}\0${folder}`;
    const found = known.get(key) ?? readState(from, folder);
    known.set(key, found);
    return found;
  }

  async function readState(from: string, folder: string): Promise<FolderState> {
    if (folder === from) {
      return { path: '', ignore: ignoreFiles ? await rulesOfRoot(from) : undefined, verdict: undefined };
    }
    const above = await stateOf(from, dirname(folder));
    const name = basename(folder);
    const path = from === realRoot ? relative(realRoot, folder).split(sep).join('/') : '';
    const verdict = above.verdict ?? whyNotFolder(path, name) ?? judgeByRules(above.ignore, name, true);
    if (verdict || !above.ignore) return { path, ignore: undefined, verdict };
    const { files, isRepository } = await readIgnoreFiles(folder);
    return { path, ignore: above.ignore.enter(name, files, isRepository), verdict: undefined };
  }

  function whyNotFolder(path: string, name: string): Verdict | undefined {
    const reason = choice.whyNotFolder(path || name);
    // Whoever links to what a build put elsewhere means it.
    const isMeant = path === '' && reason === 'generated' && !name.startsWith('.');
    return reason && !isMeant ? { reason } : undefined;
  }
}

function judgeByRules(ignore: IgnoreRules | undefined, name: string, isFolder: boolean): Verdict | undefined {
  const found = ignore?.judge(name, isFolder);
  return found?.isIgnored ? { reason: 'ignored', because: found.because } : undefined;
}

/** The deepest folder that holds both. */
function sharedFolder(folder: string, path: string): string {
  let shared = folder;
  while (!isInside(path, shared)) {
    // Windows has several topmost folders.
    if (dirname(shared) === shared) return parse(path).root;
    shared = dirname(shared);
  }
  return shared;
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
