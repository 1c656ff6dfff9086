import { setTimeout as sleep } from 'node:timers/promises';
import { EventChannel } from '../../base/events.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';

const busyCode = 5;
const maxDelayMs = 25;
const busyDeadlineMs = 15_000;

/**
 * Repeats `run` while another process holds the lock, with growing random pauses. The deadline counts from `since`, when the caller
 * arrived, so waiting in a queue does not extend it. Uses real time, because the other process does not follow an injected clock.
 * Throws TRANSIENT_ERROR at the deadline.
 */
export async function retryWhileBusy<T>(
  location: string,
  run: () => Promise<T> | T,
  { since = performance.now(), deadlineMs = busyDeadlineMs }: { since?: number; deadlineMs?: number } = {},
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - since > deadlineMs) {
        throw new HubError(
          'TRANSIENT_ERROR',
          `The database ${location} stayed locked by another process for ${Math.round(deadlineMs / 1000)} seconds. Try again.`,
          { cause: error, details: { hasWaited: true } },
        );
      }
    }
    await sleep(1 + Math.random() * Math.min(2 ** attempt, maxDelayMs));
  }
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busyCode;
}

/** Returns SQLite's primary result code, see sqlite.org/rescode.html. */
export function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** Why a database file cannot be used. Errors carry the same word in `details.fault`. */
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

/** Translates an error of SQLite or the file system. Undefined if the storage is not to blame. */
export function toStorageError(error: unknown, location: string): HubError | undefined {
  const fault = faultOf(error);
  return fault && storageError(fault, location, error);
}

export function storageError(fault: StorageFault, location: string, cause?: unknown): HubError {
  return new HubError(fault === 'full' ? 'STORAGE_FULL' : 'STORAGE_FAILED', messageOf(fault, location, cause), {
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

function messageOf(fault: StorageFault, location: string, cause: unknown): string {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  switch (fault) {
    case 'full':
      return `The database ${location} cannot grow because the disk is full. Nothing was saved. Free some space; the hub then continues on its own.`;
    case 'io_error':
      return `The database ${location} cannot be used because the disk reported an error${reason}. Nothing was saved. Check the disk and its file system.`;
    case 'corrupt':
      return `The database ${location} is damaged${reason}. Stop the hub, keep a copy of the file, and restore a backup with "zoo restore".`;
    case 'read_only':
      return `The database ${location} is read-only. Nothing was saved. Make the file, its folder and its disk writable, then restart the hub.`;
    case 'replaced':
      return `The database ${location} was deleted or replaced while the hub was running. Nothing is saved any more. Put the original file back or restore a backup, then restart the hub.`;
  }
}

/** How often a persistent fault is logged, however many requests run into it. */
const logAgainMs = 60_000;

/** Remembers a storage fault until a write succeeds. */
export class StorageHealth {
  readonly #location: string;
  readonly #logger: Logger;
  readonly #changes: EventChannel<void>;
  #fault: HubError | undefined;
  /** The last logged fault. On an almost full disk, small writes succeed between large ones that fail. */
  #logged: { message: string; at: number; isOver: boolean } | undefined;

  constructor({ location, logger }: { location: string; logger: Logger }) {
    this.#location = location;
    this.#logger = logger;
    this.#changes = new EventChannel((error) => logger.error({ err: error }, 'a listener for storage changes failed'));
  }

  /** The last fault, unless something has been written since. */
  get fault(): HubError | undefined {
    return this.#fault;
  }

  /** Calls back when a fault appears, changes or is gone. */
  watch(onChange: () => void): () => void {
    return this.#changes.on(onChange);
  }

  /** Records a failure. Returns the error for the caller: a HubError if the storage is to blame, otherwise the same error. */
  failed(error: unknown): unknown {
    const fault = toStorageError(error, this.#location);
    if (!fault) return error;
    this.refused(fault);
    return fault;
  }

  refused(fault: HubError): void {
    const isNews = fault.message !== this.#fault?.message;
    this.#fault = fault;
    const { message } = fault;
    const at = performance.now();
    if (message !== this.#logged?.message || at - this.#logged.at > logAgainMs) {
      this.#logged = { message, at, isOver: false };
      this.#logger.error({ err: fault }, message);
    }
    if (isNews) this.#changes.emit();
  }

  /** Clears the fault after a successful write. A corrupt file stays corrupt, even if other pages can be written. */
  wrote(): void {
    if (this.#fault === undefined || this.#fault.details?.fault === 'corrupt') return;
    this.#fault = undefined;
    if (this.#logged?.isOver === false) {
      this.#logged.isOver = true;
      this.#logger.info({ location: this.#location }, `The database ${this.#location} can be written again.`);
    }
    this.#changes.emit();
  }
}
