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

/** More than anyone writes by hand. */
export const maxIgnoreBytes = 1_000_000;
/** Does not block on a pipe without a writer. Windows has neither flag. */
const links = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const noLinks = links | (constants.O_NOFOLLOW ?? 0);

/** Reads the ignore files of a folder. Throws UNAVAILABLE for one that exists but cannot be read, because its effect is then unknown. */
export async function readIgnoreFiles(folder: string): Promise<FolderRules> {
  const [contents, isRepository] = await Promise.all([
    Promise.all(ignoreFileNames.map((name) => readRules(join(folder, name), noLinks))),
    holdsRepository(folder),
  ]);
  const files: IgnoreFiles = Object.fromEntries(ignoreFileNames.map((name, index) => [name, contents[index]]));
  if (isRepository) files['.git/info/exclude'] = await readRules(await excludeFileOf(folder), links);
  return { files, isRepository };
}

/** Returns the rules of a root folder: its own and, inside a repository, those of the folders up to the repository's root. */
export async function rulesOfRoot(root: string): Promise<IgnoreRules> {
  const folders = await fromRepositoryTo(root);
  let rules: IgnoreRules | undefined;
  for (const folder of folders) {
    const { files, isRepository } = await readIgnoreFiles(folder);
    rules = rules ? rules.enter(basename(folder), files, isRepository) : new IgnoreRules(files, { isRepository });
  }
  return rules ?? new IgnoreRules();
}

/** Like `readIgnoreFiles`, but synchronous. Treats an unreadable file as absent. */
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

/** Returns the folders from the repository's root down to `root`, or only `root` outside a repository. */
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

/** Follows `.git` if it is a file that names the folder, as in linked work trees and submodules. */
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
    // A folder with this name, or a parent that is a file, has no rules.
    if (isGone(error) || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    // Git ignores a .gitignore that is a link. The effect of other linked files is unknown.
    if (code === 'ELOOP' && basename(path) === '.gitignore') return undefined;
    const why = code === 'ELOOP' ? 'is a link. Replace it with a file' : whyUnreadable(error);
    throw new HubError('UNAVAILABLE', `Its ${basename(path)} ${why}.`, { cause: error });
  }
}

/** Reads a file safely: a device never ends, and a pipe may never begin. */
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
    throw new HubError('UNAVAILABLE', `Its ${basename(path)} is not a regular file. Replace it with one.`);
  if (facts.size > maxIgnoreBytes) {
    throw new HubError('UNAVAILABLE', `Its ${basename(path)} has more than ${maxIgnoreBytes} bytes. Shorten it.`);
  }
  return facts.size;
}
