import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { makePrivateFolder } from '../base/private-files.ts';
import { keyBytes } from './vault-seal.ts';

/** Undefined when there is none. Throws UNAVAILABLE for a file that is no key. */
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
    `The key file ${path} is damaged: it has ${bytes.length} bytes, not ${keyBytes}. Bring back a copy of it.`,
    { details: { retryable: false } },
  );
}

/**
 * The file is whole from the moment it has its name, and the first of several processes gives it: all of them end with the same
 * key, wherever one of them is killed. Throws UNAVAILABLE.
 */
export async function makeKeyFile(path: string): Promise<Buffer> {
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
      `The key file ${path} could not be made (${codeOf(error)}). Make its folder writable, or set AGENT_ZOO_SECRET.`,
      { cause: error, details: { retryable: false } },
    );
  } finally {
    await rm(unfinished, { force: true }).catch(() => {});
  }
  const key = await readKeyFile(path);
  if (!key) throw new HubError('UNAVAILABLE', `The key file ${path} was deleted while it was made.`);
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

/** A sealed value on the disk is worth nothing when the name of its key is not. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  // Not every system opens or syncs a folder.
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
