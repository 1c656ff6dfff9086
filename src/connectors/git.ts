import { dirname } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import type { Connector, ScanContext } from '../knowledge/connector.ts';
import { chooseFiles } from './choose-files.ts';
import { GitBlobs } from './git-blobs.ts';
import { type GitCopy, markDamaged, updateGitCopy } from './git-cache.ts';
import { gitProblem } from './git-problems.ts';
import { type GitCall, GitFailure, recordsOfGit, runGit } from './git-process.ts';
import { lastChanges } from './git-times.ts';
import { parseGitUrl, webLink } from './git-url.ts';
import { tooLarge } from './read-problems.ts';

export interface GitSettings {
  name: string;
  /** Anything that git can clone. */
  url: string;
  /** The remote's own default when left out. */
  branch?: string | undefined;
  /** A folder inside the repository. */
  root: string;
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  /** Only the newest commit is fetched; then every file has its time. */
  shallow: boolean;
  /** A folder for the copy. */
  cache_dir: string;
  max_extract_bytes: number;
  tags: readonly string[];
  /** Which files are taken where no include globs are given. */
  takes?: ((name: string) => boolean) | undefined;
}

interface Blob {
  path: string;
  id: string;
  size: number;
}

const listMs = 5 * 60_000;
const pointer = 'version https://git-lfs.github.com/spec/';

/** A repository, through a bare copy on this disk. Throws INVALID_ARGUMENTS for settings that cannot be used. */
export function gitConnector(settings: GitSettings): Connector {
  const { max_extract_bytes: mostBytes, shallow } = settings;
  const address = parseGitUrl(settings.url);
  const branch = checkedBranch(settings.branch);
  const root = checkedRoot(settings.root);
  const choice = chooseFiles(settings);
  const link = webLink(address);
  const tags = [...settings.tags];

  return {
    type: 'git',
    name: settings.name,
    place: [address.shown, branch && `branch ${branch}`, root && `folder ${root}`].filter(Boolean).join(', '),

    async *scan({ signal, fail }) {
      const copy = await updateGitCopy({ address, branch, shallow, cacheDir: settings.cache_dir, signal });
      const call = { cwd: dirname(copy.gitDir), gitDir: copy.gitDir, signal, timeoutMs: listMs };
      const blobs = new GitBlobs(call);
      signal.addEventListener('abort', () => blobs.close(), { once: true });
      const files = await listFiles(copy, call, fail);
      const commitTime = Number(await runGit(['log', '-1', '--format=%ct', copy.commit], call)) * 1000;
      const names = new Set(files.map((file) => file.path));
      const times = shallow ? undefined : await lastChanges({ commit: copy.commit, root, files: names }, call);
      for (const { path, id, size } of files) {
        if (size > mostBytes) fail(path, tooLarge(size, mostBytes));
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
  };

  /** Paths below the root; links and submodules have no text of their own. */
  async function listFiles(copy: GitCopy, call: GitCall, fail: ScanContext['fail']): Promise<Blob[]> {
    const files: Blob[] = [];
    try {
      for await (const record of recordsOfGit(['ls-tree', '-r', '-z', '--long', `${copy.commit}:${root}`], call)) {
        const [, mode = '', id = '', size, path = ''] = /^(\d+) blob (\S+)\s+(\d+)\t(.*)$/s.exec(record) ?? [];
        const isFile = mode.startsWith('100');
        if (!isFile || !choice.takesFile(path) || !entersFoldersOf(path)) continue;
        if (path.includes('\uFFFD')) fail(path, 'Its name is not UTF-8. Rename it.');
        else files.push({ path, id, size: Number(size) });
      }
      return files;
    } catch (error) {
      call.signal.throwIfAborted();
      throw (await noRoot(copy, call)) ?? (await damaged(copy, error));
    }
  }

  function entersFoldersOf(path: string): boolean {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (!choice.entersFolder(path.slice(0, end))) return false;
    }
    return true;
  }

  async function noRoot(copy: GitCopy, call: GitCall): Promise<HubError | undefined> {
    if (root === '') return undefined;
    const kind = await runGit(['ls-tree', '-z', '--full-tree', copy.commit, '--', root], call).catch(() => undefined);
    if (kind === undefined || /^\d+ tree /.test(kind)) return undefined;
    return new HubError(
      'NOT_FOUND',
      `The repository ${address.shown} has no folder "${root}" on ${copy.branch}. Set root to a folder that is there.`,
    );
  }

  async function damaged(copy: GitCopy, error: unknown): Promise<unknown> {
    if (error instanceof GitFailure) await markDamaged(copy.gitDir);
    return gitProblem(error, address);
  }
}

async function readBlob(blobs: GitBlobs, id: string, copy: GitCopy, signal: AbortSignal): Promise<Uint8Array> {
  const content = await blobs.read(id, signal).catch(async (error: unknown) => {
    if (error instanceof HubError && !signal.aborted) await markDamaged(copy.gitDir);
    throw error;
  });
  if (content.length < 1024 && Buffer.from(content.buffer).toString().startsWith(pointer)) {
    throw new HubError('UNAVAILABLE', 'It is kept in Git LFS: the repository holds only a pointer to it.');
  }
  return content;
}

/** What git itself refuses as a name, and what would be more than a name in a command. */
function checkedBranch(branch: string | undefined): string | undefined {
  const name = branch?.replace(/^refs\/(heads|tags)\//, '');
  if (name !== undefined && (name === '' || /^[-./]|\/$|\.lock$|\.\.|@\{|[\s\p{Cc}~^:?*[\\]/u.test(name))) {
    throw new HubError('INVALID_ARGUMENTS', `"${branch}" cannot be the name of a branch. Use one such as "main".`);
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
