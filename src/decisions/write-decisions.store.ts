import type { Clock } from '../base/clock.ts';
import { HubError, isStorageError } from '../base/hub-error.ts';
import { Slots } from '../base/slots.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import type { DecisionEntry, LogProgress, LogWork } from '../tools/decision-log.ts';
import { DecisionChain, type IndexedBatch, type IndexedGroup } from './decision-chain.store.ts';
import { type GroupIndex, indexDecisions } from './index-decisions.store.ts';
import type { LogKey } from './log-key.ts';
import type { LogProof } from './log-proof.ts';

/** The maximum number of groups being synced at once. Entries that arrive meanwhile form the next group. */
const maxSyncing = 3;

/** A group of this size is written at once. A smaller one waits as long as each turn of the event loop adds entries. */
const fullGroupSize = 64;
/** The maximum delay before new groups are indexed. */
const indexMs = 1_000;
/** The maximum number of this process's groups whose indexes stay in memory until they are stored. Others are read again. */
const maxIndexes = 20_000;
/** How long a closing hub keeps indexing: after a restore, the index of the whole log may be missing. */
const closeMs = 3_000;

interface Group {
  rows: DecisionEntry[];
  /** When the first entry arrived, by `performance.now()`. */
  since: number;
  durable: PromiseWithResolvers<void>;
}

interface DecisionWriterParts {
  database: Database;
  clock: Clock;
  /** Shows other processes that this one is alive, even without calls. */
  leases: Pick<Leases, 'holder' | 'keep'>;
  onWritten: () => void;
  /** The key and the anchors; absent for a database in memory. */
  proof?: LogProof | undefined;
}

/**
 * Writes the decision log. Entries that arrive in one turn of the event loop, or while the disk is busy, share one transaction and one
 * fsync off the event loop. Callers wait for it: a tool must not run before its call is on the disk, and a reply must not be sent
 * before its result is.
 */
export class DecisionWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #leases: Pick<Leases, 'holder' | 'keep'>;
  readonly #onWritten: () => void;
  readonly #proof: LogProof | undefined;
  #key: LogKey | undefined;
  #hasKey: boolean;
  /** Created with the first entry, so that a process that only lists its tools starts faster. */
  #currentChain: DecisionChain | undefined;
  readonly #chains = new Set<string>();
  #open: Group | undefined;
  #isPlanned = false;
  #isCommitting = false;
  #syncing = 0;
  #syncingRows = 0;
  #closing: Promise<void> | undefined;
  #indexTimer: NodeJS.Timeout | undefined;
  /** Indexes of this process's groups that are not stored yet, so that the groups need not be read again. */
  readonly #indexes = new Map<number, GroupIndex>();
  #lastGroup: IndexedGroup | undefined;
  #indexing: Promise<boolean> | undefined;
  #indexUntil = Number.POSITIVE_INFINITY;
  readonly #listeners = new Set<(progress: LogProgress) => void>();
  readonly #running = new Slots<Promise<void>>();

  constructor(parts: DecisionWriterParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#leases = parts.leases;
    this.#onWritten = parts.onWritten;
    this.#proof = parts.proof;
    this.#hasKey = parts.proof === undefined;
  }

  append(entry: DecisionEntry): Promise<void> {
    this.#open ??= newGroup();
    this.#open.rows.push(entry);
    this.#schedule();
    return this.#open.durable.promise;
  }

  /** Waits for every entry appended so far, then records that the chains have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close().finally(() => this.#proof?.anchors.flush());
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#drain();
    clearTimeout(this.#indexTimer);
    if (this.#chains.size === 0) {
      this.#indexUntil = 0;
      await this.#indexing?.catch(() => {});
      return;
    }
    this.#indexUntil = performance.now() + closeMs;
    // If indexing stopped early, the chain stays open, like that of a killed process.
    if (!(await this.#index())) return;
    const closed_at = this.#clock.now();
    const { id, openSince: open_since } = this.#chain;
    await this.#database.write(async ({ db }) => {
      await db.updateTable('decision_chains').set({ open_since }).where('chain', '=', id).execute();
      await db
        .updateTable('decision_chains')
        .set((each) => ({
          closed_at,
          settled_at: each.case().when('open_since', 'is', null).then(closed_at).end(),
        }))
        .where('chain', 'in', [...this.#chains])
        .execute();
    });
  }

  /** Resolves when everything written so far, by any process, is indexed. */
  async index({ onProgress }: LogWork = {}): Promise<void> {
    await this.#index(onProgress);
  }

  /** Resolves to false if it stopped early because the hub is closing. */
  async #index(onProgress?: LogWork['onProgress']): Promise<boolean> {
    if (onProgress) this.#listeners.add(onProgress);
    try {
      // A pass that is already running may miss the newest entries.
      await this.#indexing?.catch(() => {});
      this.#indexing ??= indexDecisions(this.#database, {
        writer: {
          chain: this.#currentChain?.id,
          openSince: this.#currentChain?.openSince ?? null,
          indexes: this.#indexes,
        },
        shouldStop: () => performance.now() > this.#indexUntil,
        onProgress: (progress) => {
          for (const listener of this.#listeners) listener(progress);
        },
      }).finally(() => {
        this.#indexing = undefined;
      });
      return await this.#indexing;
    } finally {
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }

  #indexSoon(): void {
    this.#indexTimer ??= setTimeout(() => {
      this.#indexTimer = undefined;
      // The next reader tries again.
      if (!this.#closing) this.index().catch(() => {});
    }, indexMs).unref();
  }

  async #drain(): Promise<void> {
    while (this.#open || this.#running.size > 0) {
      await Promise.allSettled([...this.#running, this.#open?.durable.promise]);
    }
  }

  #schedule(): void {
    if (this.#isPlanned || this.#isCommitting || !this.#open || this.#syncing >= maxSyncing) return;
    this.#isPlanned = true;
    const seen = this.#open.rows.length;
    setImmediate(() => this.#afterTurn(seen));
  }

  /**
   * Writing a group costs much more than adding an entry to it, so entries gather as long as each turn of the event loop brings new ones. While
   * other groups are being synced, a group is written only if it is not much smaller and no more entries arrive.
   */
  #afterTurn(seen: number): void {
    this.#isPlanned = false;
    const rows = this.#open?.rows.length ?? 0;
    const isGathering = rows > seen && (this.#syncing > 0 || rows < fullGroupSize);
    if (isGathering) {
      this.#schedule();
      return;
    }
    if (this.#syncing > 0 && rows * 2 < this.#syncingRows) return;
    const running = this.#write().finally(() => this.#running.remove(slot));
    const slot = this.#running.add(running);
  }

  async #write(): Promise<void> {
    let group: Group | undefined;
    const take = () => {
      group ??= this.#takeOpen();
      return group.rows;
    };
    try {
      this.#isCommitting = true;
      try {
        if (!this.#hasKey) await this.#loadKey();
        const inserting = this.#insert(take, this.#open?.since);
        if (inserting !== undefined) await inserting;
      } finally {
        this.#isCommitting = false;
      }
      const head = this.#currentChain?.head;
      const rows = group?.rows.length ?? 0;
      this.#syncing += 1;
      this.#syncingRows += rows;
      this.#schedule();
      try {
        await this.#database.sync?.(true);
      } finally {
        this.#syncing -= 1;
        this.#syncingRows -= rows;
      }
      group?.durable.resolve();
      if (head) this.#proof?.anchors.note(head);
      this.#onWritten();
      this.#indexSoon();
    } catch (error) {
      group ??= this.#takeOpen();
      group.durable.reject(notWritten(error));
    }
    this.#schedule();
  }

  async #loadKey(): Promise<void> {
    this.#key = await this.#proof?.key();
    this.#hasKey = true;
  }

  /** Inserts entries. If the insert fails or its outcome is unknown, the next entries start a new chain, so that no chain has a gap. */
  #insert(take: () => readonly DecisionEntry[], since: number | undefined): Promise<void> | undefined {
    try {
      const inserting = this.#insertBatch(take, since);
      if (typeof inserting !== 'number') return this.#finishInsert(inserting, take, since);
      this.#inserted(inserting);
      return undefined;
    } catch (error) {
      this.#dropChain();
      throw error;
    }
  }

  async #finishInsert(
    inserting: Promise<number | undefined> | undefined,
    take: () => readonly DecisionEntry[],
    since: number | undefined,
  ): Promise<void> {
    try {
      let seq = await inserting;
      if (seq === undefined) {
        // A backup was restored meanwhile, or the last written group has been pruned.
        this.#dropChain();
        seq = await this.#insertBatch(take, since);
      }
      if (seq === undefined) throw new Error('the new chain of the decision log already exists');
      this.#inserted(seq);
    } catch (error) {
      this.#dropChain();
      throw error;
    }
  }

  #insertBatch(
    take: () => readonly DecisionEntry[],
    since: number | undefined,
  ): Promise<number | undefined> | number | undefined {
    let batch: IndexedBatch | undefined;
    return this.#database.insertDecisions(() => {
      batch ??= this.#chain.next(take());
      this.#lastGroup = batch.groups.at(-1);
      this.#chains.add(batch.chain);
      this.#leases.keep();
      return batch;
    }, since);
  }

  #inserted(seq: number): void {
    this.#chain.inserted(seq);
    if (this.#lastGroup && this.#indexes.size < maxIndexes) this.#indexes.set(seq, this.#lastGroup.groupIndex);
  }

  get #chain(): DecisionChain {
    this.#currentChain ??= new DecisionChain({
      now: this.#clock.now(),
      holder: this.#leases.holder,
      key: this.#key,
    });
    return this.#currentChain;
  }

  #dropChain(): void {
    this.#currentChain = undefined;
  }

  #takeOpen(): Group {
    const group = this.#open ?? newGroup();
    this.#open = undefined;
    return group;
  }
}

function newGroup(): Group {
  return { rows: [], since: performance.now(), durable: Promise.withResolvers() };
}

function notWritten(error: unknown): HubError {
  if (isStorageError(error)) return error;
  return new HubError('UNAVAILABLE', 'The decision log cannot be written, so the call was rejected. Try again later.', {
    cause: error,
  });
}
