import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { type IgnoreFiles, IgnoreRules, ignoreFileNames } from './ignore-rules.ts';
import { isGone, whyUnreadable } from './read-problems.ts';

interface FolderRules {
  files: IgnoreFiles;
  isRepository: boolean;
}

/** Nobody writes a larger one by hand. */
const maxBytes = 1_000_000;

/** Throws UNAVAILABLE for an ignore file that is there and cannot be read: what it hides is not known then. */
export async function readIgnoreFiles(folder: string): Promise<FolderRules> {
  const [contents, isRepository] = await Promise.all([
    Promise.all(ignoreFileNames.map((name) => readSmall(join(folder, name)))),
    holdsRepository(folder),
  ]);
  const files: IgnoreFiles = Object.fromEntries(ignoreFileNames.map((name, index) => [name, contents[index]]));
  if (isRepository) files['.git/info/exclude'] = await readSmall(await excludeFileOf(folder));
  return { files, isRepository };
}

/** The rules that hold in a root: its own and, inside a repository, those of the folders up to where it begins. */
export async function rulesOfRoot(root: string): Promise<IgnoreRules> {
  const folders = await fromRepositoryTo(root);
  let rules: IgnoreRules | undefined;
  for (const folder of folders) {
    const { files, isRepository } = await readIgnoreFiles(folder);
    rules = rules ? rules.enter(basename(folder), files, isRepository) : new IgnoreRules(files, { isRepository });
  }
  return rules ?? new IgnoreRules();
}

/** As `readIgnoreFiles`, for a caller that cannot wait; what cannot be read counts as absent. */
export function readIgnoreFilesNow(folder: string): FolderRules {
  const read = (path: string) => {
    try {
      return readFileSync(path);
    } catch {
      return undefined;
    }
  };
  const isRepository = statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  const files: IgnoreFiles = Object.fromEntries(ignoreFileNames.map((name) => [name, read(join(folder, name))]));
  return { files: { ...files, '.git/info/exclude': read(join(folder, '.git/info/exclude')) }, isRepository };
}

/** From the topmost down; the root alone when it is in no repository. */
async function fromRepositoryTo(root: string): Promise<string[]> {
  const folders = [root];
  for (let folder = root; !(await holdsRepository(folder)); folder = dirname(folder)) {
    if (dirname(folder) === folder) return [root];
    folders.unshift(dirname(folder));
  }
  return folders;
}

function holdsRepository(folder: string): Promise<boolean> {
  return stat(join(folder, '.git')).then(
    () => true,
    () => false,
  );
}

/** In a linked work tree or a submodule, `.git` is a file that names the folder. */
async function excludeFileOf(folder: string): Promise<string> {
  const dot = join(folder, '.git');
  const pointer = await readFile(dot, 'utf8').catch(() => undefined);
  const gitFolder = pointer === undefined ? dot : resolve(folder, pointer.replace(/^gitdir:/, '').trim());
  const common = await readFile(join(gitFolder, 'commondir'), 'utf8').catch(() => undefined);
  return join(common === undefined ? gitFolder : resolve(gitFolder, common.trim()), 'info/exclude');
}

async function readSmall(path: string): Promise<Uint8Array | undefined> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new HubError('UNAVAILABLE', `Its ${basename(path)} has more than ${maxBytes} bytes.`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof HubError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A folder of this name, or a parent that is none, holds no rules.
    if (isGone(error) || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw new HubError('UNAVAILABLE', `Its ${basename(path)} ${whyUnreadable(error)}.`, { cause: error });
  }
}
