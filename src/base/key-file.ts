import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HubError } from './hub-error.ts';
import { makePrivateFolder } from './private-files.ts';

/** The length of a key. */
export const keyBytes = 32;

/** Returns the key, or undefined if there is no file. Throws UNAVAILABLE for a file that is not a key. */
export async function readKeyFile(path: string): Promise<Buffer | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new HubError('UNAVAILABLE', `The key file ${path} could not be read (${codeOf(error)}).`, {
      cause: error,
      details: { retryable: false },
    });
  }
  if (bytes.length === keyBytes) return bytes;
  throw new HubError(
    'UNAVAILABLE',
    `The key file ${path} is damaged: it has ${bytes.length} bytes, not ${keyBytes}. Restore it from a copy.`,
    { details: { retryable: false } },
  );
}

/**
 * Creates the key file and returns the key. The file appears complete, and the first of several processes wins: all of them get the same
 * key, even if one is killed halfway. `hint` says what else would work. Throws UNAVAILABLE.
 */
export async function makeKeyFile(path: string, hint = ''): Promise<Buffer> {
  const unfinished = `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    makePrivateFolder(dirname(path));
    await writeSynced(unfinished, randomBytes(keyBytes));
    await link(unfinished, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await syncFolder(dirname(path));
  } catch (error) {
    throw new HubError(
      'UNAVAILABLE',
      `The key file ${path} could not be created (${codeOf(error)}). Make its folder writable${hint}.`,
      { cause: error, details: { retryable: false } },
    );
  } finally {
    await rm(unfinished, { force: true }).catch(() => {});
  }
  const key = await readKeyFile(path);
  if (!key)
    throw new HubError('UNAVAILABLE', `The key file ${path} was deleted while it was being created. Try again.`);
  return key;
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs the folder, because a crash could otherwise lose the file, and everything made with the key would be useless. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  // Not every system opens or syncs a folder.
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
