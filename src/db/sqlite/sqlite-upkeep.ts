import type { DatabaseSync } from 'node:sqlite';
import { HubError } from '../../base/hub-error.ts';
import type { FileGuard } from './file-guard.ts';
import type { StorageHealth } from './storage-health.ts';

const tickMs = 250;
/** The `-wal` file counts as idle after this time without a commit of any process. */
const idleMs = 1_500;
const probeAgainMs = 5_000;

interface UpkeepParts {
  connection: DatabaseSync;
  guard: FileGuard;
  health: StorageHealth;
  /** No transaction of this connection is open or waits. */
  isFree: () => boolean;
  /** Finds out whether a fault has passed. */
  probe: () => Promise<void>;
}

/** Notices a file that was deleted or replaced while nobody writes, and checkpoints when nobody does. */
export class SqliteUpkeep {
  readonly #parts: UpkeepParts;
  readonly #timer: NodeJS.Timeout;
  #walState = '';
  #changedAt = performance.now();
  #isCheckpointed = false;
  #probedAt = 0;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const { guard, health } = this.#parts;
    try {
      const walState = guard.check();
      const now = performance.now();
      if (walState !== this.#walState) {
        this.#walState = walState;
        this.#changedAt = now;
        // Another process has emptied it.
        this.#isCheckpointed = walState.startsWith('0 ');
      } else if (!this.#isCheckpointed && now - this.#changedAt >= idleMs) this.#checkpoint(now);
      if (health.fault && now - this.#probedAt >= probeAgainMs) this.#probe(now);
    } catch (error) {
      if (error instanceof HubError) health.refused(error);
      else health.failed(error);
    }
  }

  #probe(now: number): void {
    this.#probedAt = now;
    // Its failure is the fault that is known already.
    this.#parts.probe().catch(() => {});
  }

  /**
   * Moves all commits into the database file, so that a copy of it holds everything, and empties the `-wal` file, which would otherwise be
   * applied to a backup that somebody copies over the database. Gives up at once when another connection is in the way.
   */
  #checkpoint(now: number): void {
    if (!this.#parts.isFree()) return;
    const row = this.#parts.connection.prepare('pragma wal_checkpoint(truncate)').get();
    this.#isCheckpointed = row?.busy === 0 && row.log === row.checkpointed;
    // A reader of an older state was in the way.
    if (!this.#isCheckpointed) this.#changedAt = now;
    // Emptying the `-wal` file changes it without a commit.
    this.#walState = this.#parts.guard.check();
  }
}
