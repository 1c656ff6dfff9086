import type { FileExplanation, SkipReason } from '../knowledge/connector.ts';
import type { FileChoice } from './choose-files.ts';
import type { IgnoreRules } from './ignore-rules.ts';

export interface EntryRules {
  choice: FileChoice;
  /** Those of the folder that the entry is in; undefined where ignore files do not count. */
  ignore: IgnoreRules | undefined;
}

export interface Verdict {
  reason: SkipReason;
  /** The rule of an ignore file, and where it stands. */
  because?: string;
  /** Where a link leads, when it is left out for that. */
  target?: string;
}

/**
 * Why an entry is left out; undefined when a file is read or a folder is entered. The one decision for scans, watches
 * and explanations. Throws UNAVAILABLE when the ignore rules take too long.
 */
export function judgeEntry({ choice, ignore }: EntryRules, path: string, isFolder: boolean): Verdict | undefined {
  const reason = isFolder ? choice.whyNotFolder(path) : choice.whyNotFile(path);
  if (reason) return { reason };
  if (!isFolder && choice.isNamed(path)) return undefined;
  const verdict = ignore?.judge(path.slice(path.lastIndexOf('/') + 1), isFolder);
  return verdict?.isIgnored ? { reason: 'ignored', because: verdict.because } : undefined;
}

/** `folder` is the one above the path that is left out, where the path itself was not reached. */
export function explainVerdict(path: string, verdict: Verdict | undefined, folder?: string): FileExplanation {
  if (!verdict) return { path, isTaken: true, reason: null, message: `${path} is read.` };
  const what = folder === undefined ? 'it' : `its folder ${folder}`;
  const leads = verdict.target === undefined ? '' : `leads to ${verdict.target}, which `;
  const message = `${path} is left out: ${what} ${leads}${why(verdict)}`;
  return { path, isTaken: false, reason: verdict.reason, message };
}

/** Completes "it …", with what would change it. */
function why({ reason, because, target }: Verdict): string {
  // The link's own name opens nothing.
  const named = target === undefined ? 'name it in include_globs' : 'name what the link leads to in include_globs';
  switch (reason) {
    case 'ignored':
      return `matches the rule ${because}. Add a rule that begins with "!" to .zooignore to read it.`;
    case 'secret':
      return `has a name that secrets have. To read it anyway, ${named}.`;
    case 'excluded':
      return 'matches exclude_globs.';
    case 'not_included':
      return 'matches none of the include_globs.';
    case 'hidden':
      return `has a name that begins with a dot. To read it, ${named}.`;
    case 'generated':
      return `is one that tools fill, such as node_modules. To read it, ${named}.`;
    case 'type':
      return `is of a type that is not read by default. To read it, ${named}.`;
    case 'link':
      return target === undefined
        ? 'is a link. Set follow_symlinks = true to follow links.'
        : 'is looked at under its own name, or by another link.';
  }
}
