import { createHash, randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import { slugify } from '../../base/ids.ts';
import { makePrivateFolder } from '../../base/private-files.ts';
import { type GitCall, GitFailure, gitProblem, runGit } from './git-process.ts';
import { askRemote, type GitRemote, type RemoteRules } from './git-remote.ts';
import type { GitAddress } from './git-url.ts';

export interface GitCacheOptions extends RemoteRules {
  /** A branch or tag. Default: the remote's default branch. */
  branch: string | undefined;
  shallow: boolean;
  /** The parent folder of all clones. */
  cacheDir: string;
  signal: AbortSignal;
}

export interface GitCopy {
  gitDir: string;
  commit: string;
  branch: string;
}

const askMs = 60_000;
const fetchMs = 30 * 60_000;
/** Unfinished clones older than this were left by a killed process. */
const leftoverMs = 60 * 60_000;
const tip = 'refs/zoo/tip';
const damagedMark = 'zoo-damaged';

/** Fetches the newest commit of the branch with all its objects. Throws UNAVAILABLE, NOT_FOUND, TIMEOUT. */
export async function updateGitCopy(options: GitCacheOptions): Promise<GitCopy> {
  const { address, signal } = options;
  const gitDir = folderOf(options);
  const cwd = dirname(gitDir);
  makePrivateFolder(cwd);
  const call = { cwd, signal, timeoutMs: askMs };
  try {
    const { remote, answer } = await askRemote(options, call, (found) => remoteTip(options, found, call));
    if (!(await isUpToDate(gitDir, answer.id, call)))
      await fetchInto({ gitDir, ref: answer.ref, remote, shallow: options.shallow }, call);
    const commit = await runGit(['rev-parse', '--verify', `${tip}^{commit}`], { ...call, gitDir });
    return { gitDir, commit: commit.trim(), branch: answer.name };
  } catch (error) {
    signal.throwIfAborted();
    throw gitProblem(error, address);
  }
}

/** Marks the copy as damaged, so that the next update clones again. */
export async function markDamaged(gitDir: string): Promise<void> {
  await writeFile(join(gitDir, damagedMark), '').catch(() => {});
}

function folderOf({ address, branch, shallow, cacheDir }: GitCacheOptions): string {
  const key = JSON.stringify([address.shown, branch ?? null, shallow]);
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  const name = slugify(basename(address.shown).replace(/\.git$/, '')) || 'repository';
  return join(cacheDir, `${name}-${hash}.git`);
}

interface RemoteTip {
  ref: string;
  name: string;
  id: string;
}

async function remoteTip(
  { address, branch }: GitCacheOptions,
  { url, config }: GitRemote,
  call: GitCall,
): Promise<RemoteTip> {
  const wanted = branch === undefined ? ['HEAD'] : [`refs/heads/${branch}`, `refs/tags/${branch}`];
  const output = await runGit(['ls-remote', '--symref', '--', url, ...wanted], { ...call, config });
  const lines = output.split('\n').map((line) => line.split('\t'));
  const idOf = (ref: string) => lines.find(([id, name]) => name === ref && !id?.startsWith('ref: '))?.[0];
  for (const ref of wanted) {
    const id = idOf(ref);
    if (id === undefined) continue;
    if (branch !== undefined) return { ref, name: branch, id };
    const head = lines.find(([target, name]) => name === 'HEAD' && target?.startsWith('ref: '))?.[0]?.slice(5);
    return { ref: head ?? 'HEAD', name: head?.replace('refs/heads/', '') ?? 'HEAD', id };
  }
  throw await noBranch({ address, branch, url }, { ...call, config });
}

async function noBranch(
  { address, branch, url }: { address: GitAddress; branch: string | undefined; url: string },
  call: GitCall,
): Promise<HubError> {
  const output = await runGit(['ls-remote', '--heads', '--', url], call);
  const names = [...output.matchAll(/\trefs\/heads\/(.+)/g)].map(([, name]) => name);
  if (names.length === 0) return new HubError('UNAVAILABLE', `The repository ${address.shown} has no commits yet.`);
  const listed = names.slice(0, 10).join(', ') + (names.length > 10 ? `, and ${names.length - 10} more` : '');
  const what = branch === undefined ? 'has no default branch' : `has no branch "${branch}"`;
  return new HubError('NOT_FOUND', `The repository ${address.shown} ${what}. Available: ${listed}.`);
}

async function isUpToDate(gitDir: string, id: string, call: GitCall): Promise<boolean> {
  if (!(await exists(gitDir)) || (await exists(join(gitDir, damagedMark)))) return false;
  try {
    const known = await runGit(['rev-parse', '--verify', tip], { ...call, gitDir });
    // Detects a missing tree now instead of in the middle of a scan.
    await runGit(['cat-file', '-e', `${tip}^{tree}`], { ...call, gitDir });
    return known.trim() === id;
  } catch (error) {
    if (error instanceof GitFailure) return false;
    throw error;
  }
}

interface Fetch {
  gitDir: string;
  ref: string;
  remote: GitRemote;
  shallow: boolean;
}

/** Updates the existing copy, or replaces it with a new clone if that fails. */
async function fetchInto(fetch: Fetch, call: GitCall): Promise<void> {
  const { gitDir } = fetch;
  if ((await exists(gitDir)) && !(await exists(join(gitDir, damagedMark)))) {
    try {
      await fetchRef(fetch, call);
      return;
    } catch (error) {
      // The remote just replied, so the copy is probably damaged, or locked by a killed process.
      if (!(error instanceof GitFailure)) throw error;
    }
  }
  await removeLeftovers(gitDir);
  const fresh = `${gitDir}.new-${randomUUID()}`;
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', '--', fresh], call);
    await fetchRef({ ...fetch, gitDir: fresh }, call);
    await rm(gitDir, { recursive: true, force: true });
    await rename(fresh, gitDir);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function fetchRef({ gitDir, ref, remote, shallow }: Fetch, call: GitCall): Promise<void> {
  const depth = shallow ? ['--depth=1'] : [];
  const plain = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--force'];
  const args = ['fetch', ...plain, ...depth, '--', remote.url, `+${ref}:${tip}`];
  await runGit(args, { ...call, gitDir, config: remote.config, timeoutMs: fetchMs });
  await runGit(['cat-file', '-e', `${tip}^{tree}`], { ...call, gitDir });
}

async function removeLeftovers(gitDir: string): Promise<void> {
  const folder = dirname(gitDir);
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(gitDir)}.new-`));
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
