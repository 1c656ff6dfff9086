import { dirname } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import type { AddressRules } from '../../base/public-addresses.ts';
import type { Connector, ScanContext } from '../../knowledge/connector.ts';
import { chooseFiles } from '../choose-files.ts';
import { ignoreFileNames } from '../ignore-rules.ts';
import { explainVerdict } from '../judge-entry.ts';
import { whyTooLarge } from '../read-problems.ts';
import { GitBlobs, missingBlob } from './git-blobs.ts';
import { type GitCopy, markDamaged, updateGitCopy } from './git-cache.ts';
import { type GitCall, GitFailure, gitProblem, recordsOfGit, runGit } from './git-process.ts';
import { GitRules, type NotIndexed, type TreeEntry } from './git-rules.ts';
import { parseGitUrl, webLink } from './git-url.ts';

export interface GitSettings {
  name: string;
  /** An http, https or ssh address, or a path. */
  url: string;
  /** Default: the remote's default branch. */
  branch?: string | undefined;
  /** A folder inside the repository. */
  root: string;
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  /** Fetches only the newest commit. All files then have its time. */
  shallow: boolean;
  /** Whether to apply .gitignore, .ignore and .zooignore. Default: true. */
  ignore_files?: boolean | undefined;
  /** Private hosts that the repository may be at. */
  allow_hosts?: readonly string[] | undefined;
  /** The folder for clones. */
  cache_dir: string;
  max_extract_bytes: number;
  tags: readonly string[];
  /** Which files to include without include globs. */
  takes?: ((name: string) => boolean) | undefined;
  /** Default: the system's resolver. */
  lookup?: AddressRules['lookup'];
}

interface Blob {
  path: string;
  id: string;
  /** Undefined when the copy does not contain it. */
  size: number | undefined;
}

const listMs = 5 * 60_000;
const lfsPointer = 'version https://git-lfs.github.com/spec/';

/** Connects a repository through a bare clone on this disk. Throws INVALID_ARGUMENTS for unusable settings. */
export function gitConnector(settings: GitSettings): Connector {
  const { max_extract_bytes: maxBytes, shallow } = settings;
  const address = parseGitUrl(settings.url);
  const branch = checkedBranch(settings.branch);
  const root = checkedRoot(settings.root);
  const choice = chooseFiles(settings);
  const link = webLink(address);
  const tags = [...settings.tags];

  return {
    type: 'git',
    name: settings.name,
    location: [address.shown, branch && `branch ${branch}`, root && `folder ${root}`].filter(Boolean).join(', '),

    async *scan(context) {
      const { signal, fail } = context;
      const { copy, call, blobs } = await open(signal);
      const files = await listFiles(copy, call, blobs, context);
      const commitTime = Number(await runGit(['log', '-1', '--format=%ct', copy.commit], call)) * 1000;
      const names = new Set(files.map((file) => file.path));
      const times = shallow ? undefined : await lastChanges({ commit: copy.commit, root, files: names }, call);
      for (const { path, id, size } of files) {
        const problem = whyTooLarge(path, size ?? 0, maxBytes);
        if (size === undefined) {
          await markDamaged(copy.gitDir);
          fail(path, missingBlob(id).message);
        } else if (problem) fail(path, problem);
        else {
          yield {
            sourceId: path,
            version: id,
            updatedAt: times?.get(path) ?? commitTime,
            url: link?.(copy.branch, root === '' ? path : `${root}/${path}`) ?? null,
            ...(tags.length > 0 && { tags }),
            read: (reading) => readBlob(blobs, id, copy, reading),
          };
        }
      }
    },

    async explain(path, signal) {
      const { copy, call, blobs } = await open(signal);
      const name = path.replace(/^(?:\.?\/)+/, '');
      const tree = await listTree(copy, call, blobs, (each) => each === name);
      if (tree.files.length === 0) {
        throw new HubError(
          'NOT_FOUND',
          `There is no file ${name} in the repository ${address.shown} on ${copy.branch}.`,
        );
      }
      const found = await tree.rules.judge(name);
      if (found && 'problem' in found) {
        const what = found.folder === undefined ? name : `The folder ${found.folder}`;
        throw new HubError('UNAVAILABLE', `${what} cannot be checked: ${found.problem}`);
      }
      return explainVerdict(name, found?.verdict, found?.folder);
    },
  };

  async function open(signal: AbortSignal) {
    const copy = await updateGitCopy({
      address,
      branch,
      shallow,
      cacheDir: settings.cache_dir,
      allowHosts: settings.allow_hosts ?? [],
      lookup: settings.lookup,
      signal,
    });
    const call: GitCall & { gitDir: string } = {
      cwd: dirname(copy.gitDir),
      gitDir: copy.gitDir,
      signal,
      timeoutMs: listMs,
    };
    const blobs = new GitBlobs(call);
    signal.addEventListener('abort', () => blobs.close(), { once: true });
    return { copy, call, blobs };
  }

  async function listFiles(copy: GitCopy, call: GitCall, blobs: GitBlobs, context: ScanContext): Promise<Blob[]> {
    const tree = await listTree(copy, call, blobs, () => true);
    const reported = new Set<string>();
    const taken: Blob[] = [];
    for (const file of tree.files) {
      const notIndexed = await tree.rules.judge(file.path);
      if (notIndexed) report(file.path, notIndexed);
      else if (file.path.includes('\uFFFD')) context.fail(file.path, 'Its name is not UTF-8. Rename it.');
      else taken.push(file);
    }
    return taken;

    /** Reports each folder once. */
    function report(path: string, why: NotIndexed): void {
      const { folder } = why;
      if (folder !== undefined && reported.has(folder)) return;
      if (folder !== undefined) reported.add(folder);
      if ('verdict' in why) context.skip(folder ?? path, why.verdict.reason, { isFolder: folder !== undefined });
      else if (folder !== undefined) context.failFolder(folder, why.problem);
      else context.fail(path, why.problem);
    }
  }

  /** Lists the files below the root, with their rules. Leaves out links and submodules, which have no text. */
  async function listTree(copy: GitCopy, call: GitCall, blobs: GitBlobs, isWanted: (path: string) => boolean) {
    const files: Blob[] = [];
    const { signal } = call;
    const ignoreFiles = settings.ignore_files ?? true;
    const checkedBlobs = { read: (id: string) => readOrMarkDamaged(blobs, id, copy, signal) };
    const rules = new GitRules({ choice, blobs: checkedBlobs, root, ignoreFiles, signal });
    try {
      if (ignoreFiles && root !== '') {
        const above = ignoreFilesAbove(root);
        for await (const entry of entriesOf(['--full-tree', copy.commit, '--', ...above], call)) {
          rules.note(entry.path, entry);
        }
      }
      for await (const entry of entriesOf(['-r', `${copy.commit}:${root}`], call)) {
        rules.note(root === '' ? entry.path : `${root}/${entry.path}`, entry);
        if (entry.mode.startsWith('100') && isWanted(entry.path)) files.push(entry);
      }
      return { files, rules };
    } catch (error) {
      signal.throwIfAborted();
      throw (await noRoot(copy, call)) ?? (await damaged(copy, error));
    }
  }

  async function noRoot(copy: GitCopy, call: GitCall): Promise<HubError | undefined> {
    if (root === '') return undefined;
    const kind = await runGit(['ls-tree', '-z', '--full-tree', copy.commit, '--', root], call).catch(() => undefined);
    if (kind === undefined || /^\d+ tree /.test(kind)) return undefined;
    return new HubError(
      'NOT_FOUND',
      `The repository ${address.shown} has no folder "${root}" on ${copy.branch}. Set root to an existing folder.`,
    );
  }

  async function damaged(copy: GitCopy, error: unknown): Promise<unknown> {
    if (error instanceof GitFailure) await markDamaged(copy.gitDir);
    return gitProblem(error, address);
  }
}

async function* entriesOf(args: readonly string[], call: GitCall): AsyncGenerator<TreeEntry & { path: string }> {
  for await (const record of recordsOfGit(['ls-tree', '-z', '--long', ...args], call)) {
    const [, mode, id, size, path] = /^(\d+) blob (\S+)\s+(\d+|BAD)\t(.*)$/s.exec(record) ?? [];
    if (mode === undefined || id === undefined || path === undefined) continue;
    yield { mode, id, path, size: size === 'BAD' ? undefined : Number(size) };
  }
}

function ignoreFilesAbove(root: string): string[] {
  const parts = root.split('/');
  return parts.flatMap((_, depth) => ignoreFileNames.map((name) => [...parts.slice(0, depth), name].join('/')));
}

async function readBlob(blobs: GitBlobs, id: string, copy: GitCopy, signal: AbortSignal): Promise<Uint8Array> {
  const content = await readOrMarkDamaged(blobs, id, copy, signal);
  if (content.length < 1024 && Buffer.from(content.buffer).toString().startsWith(lfsPointer)) {
    throw new HubError('UNAVAILABLE', 'It is stored in Git LFS. The repository contains only a pointer to it.');
  }
  return content;
}

/** Marks the copy as damaged when a blob is missing, so that the next sync clones again. */
async function readOrMarkDamaged(blobs: GitBlobs, id: string, copy: GitCopy, signal: AbortSignal): Promise<Uint8Array> {
  return blobs.read(id, signal).catch(async (error: unknown) => {
    if (error instanceof HubError && !signal.aborted) await markDamaged(copy.gitDir);
    throw error;
  });
}

/** Throws INVALID_ARGUMENTS for a name that git rejects, or that would have a special meaning in a command. */
function checkedBranch(branch: string | undefined): string | undefined {
  const name = branch?.replace(/^refs\/(heads|tags)\//, '');
  if (name !== undefined && (name === '' || /^[-./]|\/$|\.lock$|\.\.|@\{|[\s\p{Cc}~^:?*[\\]/u.test(name))) {
    throw new HubError('INVALID_ARGUMENTS', `"${branch}" is not a valid branch name. Use a name such as "main".`);
  }
  return name;
}

function checkedRoot(root: string): string {
  const parts = root.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || root.includes('\0')) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The root "${root}" must be a folder inside the repository, such as "docs".`,
    );
  }
  return parts.join('/');
}

/** Returns when each file last changed, in milliseconds. Walks the history once and stops when all files were seen. */
async function lastChanges(
  options: { commit: string; root: string; files: ReadonlySet<string> },
  call: GitCall,
): Promise<Map<string, number>> {
  const { commit, root, files } = options;
  const prefix = root === '' ? '' : `${root}/`;
  const below = root === '' ? [] : ['--', root];
  const args = ['log', '-z', '--name-only', '--no-renames', '--format=format:%x00%ct', commit, ...below];
  const times = new Map<string, number>();
  let time = 0;
  let isHeader = false;
  if (files.size === 0) return times;
  for await (const record of recordsOfGit(args, call)) {
    // Each commit begins with an empty record, followed by a record with its time and first file name.
    if (record === '') {
      isHeader = true;
      continue;
    }
    let name = record;
    if (isHeader) {
      const end = record.indexOf('\n');
      time = Number(end < 0 ? record : record.slice(0, end)) * 1000;
      name = end < 0 ? '' : record.slice(end + 1);
      isHeader = false;
    }
    if (!name.startsWith(prefix)) continue;
    const file = name.slice(prefix.length);
    if (!files.has(file) || times.has(file)) continue;
    times.set(file, time);
    if (times.size === files.size) break;
  }
  return times;
}
