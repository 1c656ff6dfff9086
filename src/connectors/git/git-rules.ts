import { HubError } from '../../base/hub-error.ts';
import type { FileChoice } from '../choose-files.ts';
import { type IgnoreFiles, IgnoreRules, ignoreFileNames } from '../ignore-rules.ts';
import { judgeEntry, type Verdict } from '../judge-entry.ts';
import { maxIgnoreBytes } from '../read-ignore-files.ts';
import type { GitBlobs } from './git-blobs.ts';

export interface GitRulesOptions {
  choice: FileChoice;
  blobs: Pick<GitBlobs, 'read'>;
  /** A folder inside the repository, or ''. */
  root: string;
  ignoreFiles: boolean;
  signal: AbortSignal;
}

/** A tree entry other than a folder, from `git ls-tree --long`. */
export interface TreeEntry {
  mode: string;
  id: string;
  /** Undefined when the copy does not contain the blob. */
  size: number | undefined;
}

/** Why a path is not indexed: it is skipped, or its rules cannot be read. `folder` is the deciding folder above the path; undefined when the path itself decides. */
export type NotIndexed = { folder: string | undefined } & ({ verdict: Verdict } | { problem: string });

interface FolderState {
  /** Relative to the root, or ''. */
  folder: string;
  ignore: IgnoreRules | undefined;
  notIndexed: NotIndexed | undefined;
}

type NotedFile = TreeEntry & { name: string };

/**
 * Decides which files of a commit to index. Applies the ignore files of the commit, even to tracked files, because users
 * do not expect an ignored file in the knowledge base.
 */
export class GitRules {
  readonly #options: GitRulesOptions;
  /** Ignore files by folder, relative to the repository. */
  readonly #noted = new Map<string, NotedFile[]>();
  /** The folders of the last judged path, from the root down. A large tree has too many rules to keep them all. */
  #open: FolderState[] = [];

  constructor(options: GitRulesOptions) {
    this.#options = options;
  }

  /** Remembers a file of the tree if it is an ignore file. `path` is relative to the repository. */
  note(path: string, entry: TreeEntry): void {
    const { folder, name } = split(path);
    if (!this.#options.ignoreFiles || !(ignoreFileNames as readonly string[]).includes(name)) return;
    this.#noted.set(folder, [...(this.#noted.get(folder) ?? []), { name, ...entry }]);
  }

  /**
   * Returns why a path below the root is not indexed; undefined when it is. Call it after all files were noted, in the
   * order of the tree for speed. Throws UNAVAILABLE when the rules of the root, or above it, cannot be read.
   */
  async judge(path: string): Promise<NotIndexed | undefined> {
    const { ignore, notIndexed } = await this.#enter(split(path).folder);
    if (notIndexed) return notIndexed;
    return this.#judgeEntry(ignore, path, false);
  }

  #judgeEntry(ignore: IgnoreRules | undefined, path: string, isFolder: boolean): NotIndexed | undefined {
    const folder = isFolder ? path : undefined;
    try {
      const verdict = judgeEntry({ choice: this.#options.choice, ignore }, path, isFolder);
      return verdict && { verdict, folder };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { problem: error.message, folder };
    }
  }

  async #enter(folder: string): Promise<FolderState> {
    this.#open = this.#open.filter((each) => each.folder === '' || `${folder}/`.startsWith(`${each.folder}/`));
    let state = this.#open.at(-1);
    if (!state) {
      state = { folder: '', ignore: await this.#rulesOfRoot(), notIndexed: undefined };
      this.#open.push(state);
    }
    while (state.folder !== folder) {
      const end = folder.indexOf('/', state.folder === '' ? 0 : state.folder.length + 1);
      state = await this.#enterNext(state, end < 0 ? folder : folder.slice(0, end));
      this.#open.push(state);
    }
    return state;
  }

  async #enterNext(above: FolderState, folder: string): Promise<FolderState> {
    const notIndexed = above.notIndexed ?? this.#judgeEntry(above.ignore, folder, true);
    if (notIndexed || !above.ignore) return { folder, ignore: undefined, notIndexed };
    const { root } = this.#options;
    try {
      const files = await this.#read(root === '' ? folder : `${root}/${folder}`);
      return { folder, ignore: above.ignore.enter(split(folder).name, files), notIndexed };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { folder, ignore: undefined, notIndexed: { problem: error.message, folder } };
    }
  }

  /** Includes the ignore files of the folders above the root. */
  async #rulesOfRoot(): Promise<IgnoreRules | undefined> {
    const { root, ignoreFiles } = this.#options;
    if (!ignoreFiles) return undefined;
    let folder = '';
    try {
      let rules = new IgnoreRules(await this.#read(''), { isRepository: true });
      for (const name of root === '' ? [] : root.split('/')) {
        folder = folder === '' ? name : `${folder}/${name}`;
        rules = rules.enter(name, await this.#read(folder));
      }
      return rules;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const where = folder === '' ? 'The repository' : `The folder ${folder} of the repository`;
      throw new HubError(error.code, `${where} cannot be read: ${error.message}`, { cause: error });
    }
  }

  /** Throws UNAVAILABLE for an ignore file that cannot be read, because its effect is then unknown. */
  async #read(folder: string): Promise<IgnoreFiles> {
    const { blobs, signal } = this.#options;
    const files: IgnoreFiles = {};
    for (const { name, mode, id, size } of this.#noted.get(folder) ?? []) {
      if (mode.startsWith('120')) {
        // Git ignores a .gitignore that is a link.
        if (name === '.gitignore') continue;
        throw new HubError('UNAVAILABLE', `Its ${name} is a link. Replace it with a file.`);
      }
      if (size !== undefined && size > maxIgnoreBytes) {
        throw new HubError('UNAVAILABLE', `Its ${name} has more than ${maxIgnoreBytes} bytes. Shorten it.`);
      }
      files[name as (typeof ignoreFileNames)[number]] = await blobs.read(id, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (!(error instanceof HubError)) throw error;
        throw new HubError(error.code, `Its ${name} cannot be read: ${error.message}`, { cause: error });
      });
    }
    return files;
  }
}

function split(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}
