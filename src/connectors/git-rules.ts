import { HubError } from '../base/hub-error.ts';
import type { FileChoice } from './choose-files.ts';
import type { GitBlobs } from './git-blobs.ts';
import { type IgnoreFiles, IgnoreRules, ignoreFileNames } from './ignore-rules.ts';
import { judgeEntry, type Verdict } from './judge-entry.ts';

export interface GitRulesOptions {
  choice: FileChoice;
  blobs: GitBlobs;
  commit: string;
  /** A folder inside the repository, or ''. */
  root: string;
  ignoreFiles: boolean;
}

/** The folder is the one above the path that is left out; undefined when the path itself is. */
export interface LeftOut {
  verdict: Verdict;
  folder: string | undefined;
}

interface FolderState {
  ignore: IgnoreRules | undefined;
  leftOut: LeftOut | undefined;
}

/** Nobody writes a larger one by hand. */
const maxBytes = 1_000_000;

/**
 * Which files of a commit are read. Ignore files are those of the commit, and they count for files that are tracked too:
 * whoever hides a file does not expect it in the knowledge base.
 */
export class GitRules {
  readonly #options: GitRulesOptions;
  readonly #noted = new Map<string, { name: string; id: string }[]>();
  readonly #files = new Map<string, IgnoreFiles>();
  readonly #folders = new Map<string, FolderState>();

  constructor(options: GitRulesOptions) {
    this.#options = options;
  }

  /** A file of the tree, below the root: it may hold rules. */
  note(path: string, id: string, size: number): void {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    if (!this.#options.ignoreFiles || !(ignoreFileNames as readonly string[]).includes(name)) return;
    if (size > maxBytes) throw new HubError('UNAVAILABLE', `The ignore file ${path} has more than ${maxBytes} bytes.`);
    const folder = slash < 0 ? '.' : path.slice(0, slash);
    this.#noted.set(folder, [...(this.#noted.get(folder) ?? []), { name, id }]);
  }

  /** After everything was noted. */
  async read(signal: AbortSignal): Promise<void> {
    const { blobs, ignoreFiles } = this.#options;
    for (const [folder, noted] of this.#noted) {
      const contents = await Promise.all(
        noted.map(async ({ name, id }) => [name, await blobs.read(id, signal)] as const),
      );
      this.#files.set(folder, Object.fromEntries(contents));
    }
    this.#folders.set('.', { ignore: ignoreFiles ? await this.#rulesOfRoot(signal) : undefined, leftOut: undefined });
  }

  /** Why a path below the root is left out; undefined when it is read. */
  judge(path: string): LeftOut | undefined {
    const slash = path.lastIndexOf('/');
    const { ignore, leftOut } = this.#rulesIn(slash < 0 ? '.' : path.slice(0, slash));
    if (leftOut) return leftOut;
    const verdict = judgeEntry({ choice: this.#options.choice, ignore }, path, false);
    return verdict && { verdict, folder: undefined };
  }

  #rulesIn(folder: string): FolderState {
    const known = this.#folders.get(folder);
    if (known) return known;
    const slash = folder.lastIndexOf('/');
    const above = this.#rulesIn(slash < 0 ? '.' : folder.slice(0, slash));
    const verdict =
      above.leftOut === undefined
        ? judgeEntry({ choice: this.#options.choice, ignore: above.ignore }, folder, true)
        : undefined;
    const leftOut = above.leftOut ?? (verdict && { verdict, folder });
    const ignore = leftOut ? undefined : above.ignore?.enter(folder.slice(slash + 1), this.#files.get(folder));
    const found = { ignore, leftOut };
    this.#folders.set(folder, found);
    return found;
  }

  /** The ignore files of the folders above the root count too. */
  async #rulesOfRoot(signal: AbortSignal): Promise<IgnoreRules> {
    const { root } = this.#options;
    const own = this.#files.get('.');
    if (root === '') return new IgnoreRules(own, { isRepository: true });
    const parts = root.split('/');
    let rules = new IgnoreRules(await this.#filesAbove('', signal), { isRepository: true });
    for (const [index, part] of parts.entries()) {
      const isRoot = index === parts.length - 1;
      rules = rules.enter(
        part,
        isRoot ? own : await this.#filesAbove(`${parts.slice(0, index + 1).join('/')}/`, signal),
      );
    }
    return rules;
  }

  async #filesAbove(folder: string, signal: AbortSignal): Promise<IgnoreFiles> {
    const { blobs, commit } = this.#options;
    const contents = ignoreFileNames.map(async (name) => {
      const content = await blobs.read(`${commit}:${folder}${name}`, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        // Not there.
        if (error instanceof HubError) return undefined;
        throw error;
      });
      return [name, content] as const;
    });
    return Object.fromEntries(await Promise.all(contents));
  }
}
