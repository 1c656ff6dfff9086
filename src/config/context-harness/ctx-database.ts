import { closeSync, openSync, readSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** How much of a file is searched for its tables, which SQLite writes first. */
const headBytes = 256 * 1024;
const applicationIdAt = 68;

/**
 * Tells whether a file is a database that Context Harness made. Only reads its bytes: SQLite would create files beside it. The tables of a
 * database that was never closed may still be in its `-wal` file.
 */
export function isCtxDatabase(file: string): boolean {
  const head = readHead(file);
  if (!head.toString('latin1').startsWith('SQLite format 3\0')) return false;
  if (head.readUInt32BE(applicationIdAt) !== 0) return false;
  return definesDocuments(head) || definesDocuments(readHead(`${file}-wal`));
}

/** The file for our own data, beside a database of Context Harness: `ctx-zoo.sqlite` for `ctx.sqlite`. */
export function besideCtxDatabase(file: string): string {
  const ending = extname(file);
  return join(dirname(file), `${basename(file, ending)}-zoo${ending || '.sqlite'}`);
}

function definesDocuments(bytes: Buffer): boolean {
  return /CREATE TABLE (?:IF NOT EXISTS )?"?documents"?\s*\([^;]{0,2000}dedup_hash/i.test(bytes.toString('latin1'));
}

function readHead(file: string): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(headBytes);
    const length = readSync(descriptor, bytes, 0, headBytes, 0);
    return bytes.subarray(0, length);
  } catch {
    // No such file, or a folder. Opening the database reports it.
    return Buffer.alloc(0);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
