import { HubError } from '../../base/hub-error.ts';
import { primaryCode } from './sqlite-busy.ts';

/** What keeps a database file from being used. The same words are in `details.fault` of the error. */
type StorageFault = 'full' | 'io_error' | 'corrupt' | 'read_only' | 'replaced';

/** SQLite's primary result codes, see sqlite.org/rescode.html. */
const faultOfCode: Readonly<Record<number, StorageFault>> = {
  8: 'read_only',
  10: 'io_error',
  11: 'corrupt',
  13: 'full',
  14: 'io_error',
  26: 'corrupt',
};

const faultOfErrno: Readonly<Record<string, StorageFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'io_error',
  EFBIG: 'io_error',
  EMFILE: 'io_error',
  ENFILE: 'io_error',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
  ENOENT: 'replaced',
};

/** SQLITE_READONLY_DBMOVED. */
const movedCode = 1032;

/** Names what SQLite or the file system reported. Undefined when the storage is not to blame. */
export function toStorageError(error: unknown, place: string): HubError | undefined {
  const fault = faultOf(error);
  return fault && storageError(fault, place, error);
}

export function storageError(fault: StorageFault, place: string, cause?: unknown): HubError {
  return new HubError(fault === 'full' ? 'STORAGE_FULL' : 'STORAGE_FAILED', messageOf(fault, place, cause), {
    cause,
    details: { fault },
  });
}

function faultOf(error: unknown): StorageFault | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && error.errcode === movedCode) return 'replaced';
  const code = primaryCode(error);
  if (code !== undefined) return faultOfCode[code];
  return 'code' in error && typeof error.code === 'string' ? faultOfErrno[error.code] : undefined;
}

function messageOf(fault: StorageFault, place: string, cause: unknown): string {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  switch (fault) {
    case 'full':
      return `The database ${place} cannot grow because the disk is full. Nothing was saved. Free some space; the hub then continues by itself.`;
    case 'io_error':
      return `The database ${place} cannot be used because the disk reported an error${reason}. Nothing was saved. Check the disk and its file system.`;
    case 'corrupt':
      return `The database ${place} is damaged${reason}. Stop the hub, keep a copy of the file, and restore a backup with "zoo restore".`;
    case 'read_only':
      return `The database ${place} is read-only. Nothing was saved. Make the file, its folder and its disk writable, then restart the hub.`;
    case 'replaced':
      return `The database ${place} was deleted or replaced while the hub was running. Nothing is saved any more. Put the original file back or restore a backup, then restart the hub.`;
  }
}
