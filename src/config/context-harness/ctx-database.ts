import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** The length of SQLite's header, and where it has the application id (sqlite.org/fileformat.html). */
const headerBytes = 100;
const applicationIdAt = 68;
/** How much of a file is searched for its tables, which SQLite writes first. */
const searchedBytes = 256 * 1024;

/**
 * Tells whether a file is a database that Context Harness made. Only reads its bytes: SQLite would create files beside it. The tables of a
 * database that is still open may be in its `-wal` file alone.
 */
export function isCtxDatabase(file: string): boolean {
  const header = readStart(file, headerBytes);
  if (header.length < headerBytes || !header.toString('latin1').startsWith('SQLite format 3\0')) return false;
  if (header.readUInt32BE(applicationIdAt) !== 0) return false;
  return [file, `${file}-wal`].some((each) => definesDocuments(readStart(each, searchedBytes)));
}

/** The file for our own data, beside a database of Context Harness: `ctx-zoo.sqlite` for `ctx.sqlite`. */
export function besideCtxDatabase(file: string): string {
  const ending = extname(file);
  return join(dirname(file), `${basename(file, ending)}-zoo${ending || '.sqlite'}`);
}

function definesDocuments(bytes: Buffer): boolean {
  return /CREATE TABLE "?documents"?\s*\([^;]{0,2000}dedup_hash/i.test(bytes.toString('latin1'));
}

/** Returns nothing for what is no file. Opening the database reports it. */
function readStart(file: string, length: number): Buffer {
  let descriptor: number | undefined;
  try {
    if (!statSync(file).isFile()) return Buffer.alloc(0);
    descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
