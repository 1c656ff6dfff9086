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

/** An entry of the tree that is no folder, as `git ls-tree --long` tells of it. */
export interface TreeEntry {
  mode: string;
  id: string;
  /** Undefined when the copy does not hold it. */
  size: number | undefined;
}

/** Why a path is not read: it is left out, or its rules cannot be had. The folder is the one above the path that decides; undefined when the path itself does. */
export type NotRead = { folder: string | undefined } & ({ verdict: Verdict } | { problem: string });

interface FolderState {
  /** Relative to the root, or ''. */
  folder: string;
  ignore: IgnoreRules | undefined;
  notRead: NotRead | undefined;
}

type NotedFile = TreeEntry & { name: string };

/**
 * Which files of a commit are read. Ignore files are those of the commit, and they count for files that are tracked too:
 * whoever hides a file does not expect it in the knowledge base.
 */
export class GitRules {
  readonly #options: GitRulesOptions;
  /** Ignore files by folder, relative to the repository. */
  readonly #noted = new Map<string, NotedFile[]>();
  /** The folders of the path that was judged last, from the root down: a tree has too many rules to keep all. */
  #open: FolderState[] = [];

  constructor(options: GitRulesOptions) {
    this.#options = options;
  }

  /** A file of the tree, by its path in the repository: it may hold rules. */
  note(path: string, entry: TreeEntry): void {
    const { folder, name } = split(path);
    if (!this.#options.ignoreFiles || !(ignoreFileNames as readonly string[]).includes(name)) return;
    this.#noted.set(folder, [...(this.#noted.get(folder) ?? []), { name, ...entry }]);
  }

  /**
   * Why a path below the root is not read; undefined when it is. After everything was noted, and quickest in the order of
   * the tree. Throws UNAVAILABLE when the rules of the root or above it cannot be had.
   */
  async judge(path: string): Promise<NotRead | undefined> {
    const { ignore, notRead } = await this.#enter(split(path).folder);
    if (notRead) return notRead;
    return this.#judgeEntry(ignore, path, false);
  }

  #judgeEntry(ignore: IgnoreRules | undefined, path: string, isFolder: boolean): NotRead | undefined {
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
      state = { folder: '', ignore: await this.#rulesOfRoot(), notRead: undefined };
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
    const notRead = above.notRead ?? this.#judgeEntry(above.ignore, folder, true);
    if (notRead || !above.ignore) return { folder, ignore: undefined, notRead };
    const { root } = this.#options;
    try {
      const files = await this.#read(root === '' ? folder : `${root}/${folder}`);
      return { folder, ignore: above.ignore.enter(split(folder).name, files), notRead };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { folder, ignore: undefined, notRead: { problem: error.message, folder } };
    }
  }

  /** The ignore files of the folders above the root count too. */
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

  /** Throws UNAVAILABLE for what is there and cannot be read: what it hides is not known then. */
  async #read(folder: string): Promise<IgnoreFiles> {
    const { blobs, signal } = this.#options;
    const files: IgnoreFiles = {};
    for (const { name, mode, id, size } of this.#noted.get(folder) ?? []) {
      if (mode.startsWith('120')) {
        // Git takes a linked .gitignore for none.
        if (name === '.gitignore') continue;
        throw new HubError('UNAVAILABLE', `Its ${name} is a link. Put a file in its place.`);
      }
      if (size !== undefined && size > maxIgnoreBytes) {
        throw new HubError('UNAVAILABLE', `Its ${name} has more than ${maxIgnoreBytes} bytes.`);
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
