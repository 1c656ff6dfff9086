import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { type IgnoreFiles, IgnoreRules, ignoreFileNames } from './ignore-rules.ts';
import { isGone, whyUnreadable } from './read-problems.ts';

interface FolderRules {
  files: IgnoreFiles;
  isRepository: boolean;
}

/** Nobody writes a larger one by hand. */
export const maxIgnoreBytes = 1_000_000;
/** Opening must not wait for the other end of a pipe. Windows has neither flag. */
const links = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const noLinks = links | (constants.O_NOFOLLOW ?? 0);

/** Throws UNAVAILABLE for an ignore file that is there and cannot be read: what it hides is not known then. */
export async function readIgnoreFiles(folder: string): Promise<FolderRules> {
  const [contents, isRepository] = await Promise.all([
    Promise.all(ignoreFileNames.map((name) => readRules(join(folder, name), noLinks))),
    holdsRepository(folder),
  ]);
  const files: IgnoreFiles = Object.fromEntries(ignoreFileNames.map((name, index) => [name, contents[index]]));
  if (isRepository) files['.git/info/exclude'] = await readRules(await excludeFileOf(folder), links);
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
  const read = (path: string, flags: number) => {
    try {
      return readSmallNow(path, flags);
    } catch {
      return undefined;
    }
  };
  const isRepository = statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  const files: IgnoreFiles = Object.fromEntries(
    ignoreFileNames.map((name) => [name, read(join(folder, name), noLinks)]),
  );
  return { files: { ...files, '.git/info/exclude': read(join(folder, '.git/info/exclude'), links) }, isRepository };
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
  const pointer = await readText(dot);
  const gitFolder = pointer === undefined ? dot : resolve(folder, pointer.replace(/^gitdir:/, '').trim());
  const common = await readText(join(gitFolder, 'commondir'));
  return join(common === undefined ? gitFolder : resolve(gitFolder, common.trim()), 'info/exclude');
}

function readText(path: string): Promise<string | undefined> {
  return readSmall(path, links).then(
    (bytes) => bytes.toString(),
    () => undefined,
  );
}

async function readRules(path: string, flags: number): Promise<Uint8Array | undefined> {
  try {
    return await readSmall(path, flags);
  } catch (error) {
    if (error instanceof HubError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A folder of this name, or a parent that is none, holds no rules.
    if (isGone(error) || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    // Git takes a linked .gitignore for none; what another one hides is not known.
    if (code === 'ELOOP' && basename(path) === '.gitignore') return undefined;
    const why = code === 'ELOOP' ? 'is a link. Put a file in its place' : whyUnreadable(error);
    throw new HubError('UNAVAILABLE', `Its ${basename(path)} ${why}.`, { cause: error });
  }
}

/** Reads a file that may be anything: a link to a device has no end, and a pipe may never begin. */
async function readSmall(path: string, flags: number): Promise<Buffer> {
  const file = await open(path, flags);
  try {
    const buffer = Buffer.alloc(smallSize(path, await file.stat()));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

function readSmallNow(path: string, flags: number): Buffer {
  const file = openSync(path, flags);
  try {
    const buffer = Buffer.alloc(smallSize(path, fstatSync(file)));
    let length = 0;
    while (length < buffer.length) {
      const bytesRead = readSync(file, buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function smallSize(path: string, facts: Stats): number {
  if (facts.isDirectory()) throw Object.assign(new Error('It is a folder.'), { code: 'EISDIR' });
  if (!facts.isFile())
    throw new HubError('UNAVAILABLE', `Its ${basename(path)} is not a file. Put a file in its place.`);
  if (facts.size > maxIgnoreBytes) {
    throw new HubError('UNAVAILABLE', `Its ${basename(path)} has more than ${maxIgnoreBytes} bytes.`);
  }
  return facts.size;
}
