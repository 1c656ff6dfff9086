import { basename, dirname, parse, relative, sep } from 'node:path';
import { isInside } from '../../base/real-path.ts';
import type { FileChoice } from '../choose-files.ts';
import type { IgnoreRules } from '../ignore-rules.ts';
import type { Verdict } from '../judge-entry.ts';
import { readIgnoreFiles, rulesOfRoot } from '../read-ignore-files.ts';

export interface TargetRules {
  /** The real path of the source's folder, without links. */
  realRoot: string;
  choice: FileChoice;
  ignoreFiles: boolean;
}

export interface JudgedTarget {
  verdict: Verdict | undefined;
  /** For a folder: the rules that apply at the target. Undefined for files, or when ignore files are disabled. */
  ignore: IgnoreRules | undefined;
}

interface FolderState {
  /** The path that globs match: relative to the root if inside the source, else ''. */
  path: string;
  ignore: IgnoreRules | undefined;
  verdict: Verdict | undefined;
}

/**
 * Returns a function that judges the target of a link by its own path, so that a harmless link cannot expose a hidden,
 * ignored or secret file. Inside the source, the usual rules apply. Outside, it checks the folder names from the point
 * where the paths diverge, and the ignore files in these folders. Throws UNAVAILABLE when one cannot be read.
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
    // A link to build output elsewhere is intentional.
    const isIntentional = path === '' && reason === 'generated' && !name.startsWith('.');
    return reason && !isIntentional ? { reason } : undefined;
  }
}

function judgeByRules(ignore: IgnoreRules | undefined, name: string, isFolder: boolean): Verdict | undefined {
  const found = ignore?.judge(name, isFolder);
  return found?.isIgnored ? { reason: 'ignored', because: found.because } : undefined;
}

/** Returns the deepest folder that contains both. */
function sharedFolder(folder: string, path: string): string {
  let shared = folder;
  while (!isInside(path, shared)) {
    // Windows has several roots.
    if (dirname(shared) === shared) return parse(path).root;
    shared = dirname(shared);
  }
  return shared;
}
