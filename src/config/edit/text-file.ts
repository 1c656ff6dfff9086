import { randomBytes } from 'node:crypto';
import { chmod, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import { makePrivateFolder } from '../../base/private-files.ts';

/** A text file as it was read, with its byte order mark and line endings. */
export interface TextFile {
  path: string;
  /** How messages name the file. */
  shown: string;
  /** Undefined if there is no file. */
  text: string | undefined;
}

/** Reads a text file that will be edited. Throws INVALID_CONFIG if it is not one. */
export async function readTextFile({ path, shown }: Omit<TextFile, 'text'>): Promise<TextFile> {
  try {
    const bytes = await readFile(path);
    return { path, shown, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path, shown, text: undefined };
    const reason = codeOf(error) ?? 'it is not UTF-8';
    throw new HubError('INVALID_CONFIG', `${shown} cannot be read: ${reason}. Nothing was changed.`);
  }
}

/**
 * Replaces a file: all at once, or not at all. The file keeps its mode; only this user can read a new file. Throws CONFLICT if the file has changed
 * since it was read.
 */
export async function replaceTextFile(file: TextFile, text: string): Promise<void> {
  // Replaces what a link points to, not the link: many people keep their configs in a repository.
  const path = await realpath(file.path).catch(() => file.path);
  const mode = (await stat(path).catch(() => undefined))?.mode;
  makePrivateFolder(dirname(path));
  const unfinished = `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(unfinished, text, { flag: 'wx', mode: 0o600 });
    if (mode !== undefined) await chmod(unfinished, mode & 0o777);
    if ((await readTextFile(file)).text !== file.text)
      throw new HubError('CONFLICT', `Another program has just changed ${file.shown}. Nothing was written. Try again.`);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof HubError) throw error;
    throw new HubError('UNAVAILABLE', `${file.shown} cannot be written: ${codeOf(error) ?? 'unknown reason'}.`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code !== 'ERR_ENCODING_INVALID_ENCODED_DATA'
    ? error.code
    : undefined;
}
