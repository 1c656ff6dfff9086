import type { Clock } from '../base/clock.ts';
import { HubError, isStorageError } from '../base/hub-error.ts';
import { Slots } from '../base/slots.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import type { DecisionEntry, LogProgress, LogWork } from '../tools/decision-log.ts';
import { DecisionChain, type IndexedBatch, type IndexedGroup } from './decision-chain.store.ts';
import { type DecisionFinds, noteDecisions } from './index-decisions.store.ts';

/** So many groups may be on their way to the disk; rows that arrive meanwhile gather in the next one. */
const maxSyncing = 3;

/** A group of so many is worth its price; fewer wait as long as each turn of the event loop brings more. */
const worthwhile = 64;
/** Keys and counters of what was written are made so much later at most. */
const noteMs = 1_000;
/** The number of own groups whose finds are kept until they are noted; the others are read again. */
const maxFinds = 20_000;
/** How long a hub that closes goes on making keys: after a restore, those of the whole log may be missing. */
const closeMs = 3_000;

interface Group {
  rows: DecisionEntry[];
  /** When the first row arrived, of `performance.now()`. */
  since: number;
  durable: PromiseWithResolvers<void>;
}

interface DecisionWriterParts {
  database: Database;
  clock: Clock;
  /** Others tell from it that this process is there, also when nobody calls. */
  leases: Pick<Leases, 'holder' | 'keep'>;
  onWritten: () => void;
}

/**
 * Rows that arrive in one turn of the event loop, or behind a busy disk, are one transaction with one fsync, which runs
 * off the event loop. Whoever appends waits for it: a tool must not run before its call is on the disk, and an answer must
 * not leave before its result is.
 */
export class DecisionWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #leases: Pick<Leases, 'holder' | 'keep'>;
  readonly #onWritten: () => void;
  /** Begun with the first entry: a process that only lists its tools starts without what random names need. */
  #begun: DecisionChain | undefined;
  readonly #chains = new Set<string>();
  #open: Group | undefined;
  #isPlanned = false;
  #isCommitting = false;
  #syncing = 0;
  #syncingRows = 0;
  #closing: Promise<void> | undefined;
  #noteTimer: NodeJS.Timeout | undefined;
  /** Of own groups that are not noted yet, so that they need not be read again. */
  readonly #finds = new Map<number, DecisionFinds>();
  #lastGroup: IndexedGroup | undefined;
  #noting: Promise<boolean> | undefined;
  #noteUntil = Number.POSITIVE_INFINITY;
  readonly #listeners = new Set<(progress: LogProgress) => void>();
  readonly #running = new Slots<Promise<void>>();

  constructor(parts: DecisionWriterParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#leases = parts.leases;
    this.#onWritten = parts.onWritten;
  }

  append(entry: DecisionEntry): Promise<void> {
    this.#open ??= newGroup();
    this.#open.rows.push(entry);
    this.#schedule();
    return this.#open.durable.promise;
  }

  /** Waits for every row appended so far, then says that the chains have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#drain();
    clearTimeout(this.#noteTimer);
    if (this.#chains.size === 0) {
      this.#noteUntil = 0;
      await this.#noting?.catch(() => {});
      return;
    }
    this.#noteUntil = performance.now() + closeMs;
    // Without its end, the chain is like that of a process that was killed.
    if (!(await this.#note())) return;
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

  /** Resolves when everything that was written before, by whomever, can be found by its keys and is counted. */
  async note({ onProgress }: LogWork = {}): Promise<void> {
    await this.#note(onProgress);
  }

  /** False: stopped before the end, because the hub closes. */
  async #note(onProgress?: LogWork['onProgress']): Promise<boolean> {
    if (onProgress) this.#listeners.add(onProgress);
    try {
      // One that runs may have begun too early.
      await this.#noting?.catch(() => {});
      this.#noting ??= noteDecisions(this.#database, {
        own: { chain: this.#begun?.id, openSince: this.#begun?.openSince ?? null, finds: this.#finds },
        isOver: () => performance.now() > this.#noteUntil,
        onProgress: (progress) => {
          for (const listener of this.#listeners) listener(progress);
        },
      }).finally(() => {
        this.#noting = undefined;
      });
      return await this.#noting;
    } finally {
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }

  #noteSoon(): void {
    this.#noteTimer ??= setTimeout(() => {
      this.#noteTimer = undefined;
      // The next look, or the next reader, tries again.
      if (!this.#closing) this.note().catch(() => {});
    }, noteMs).unref();
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
   * A group costs as much as many rows, so they gather as long as each turn of the event loop brings new ones. Beside others
   * on their way to the disk a further group is worth it only when it is not much smaller, and when nothing else is to be done.
   */
  #afterTurn(seen: number): void {
    this.#isPlanned = false;
    const rows = this.#open?.rows.length ?? 0;
    const isGathering = rows > seen && (this.#syncing > 0 || rows < worthwhile);
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
        const inserting = this.#insert(take, this.#open?.since);
        if (inserting !== undefined) await inserting;
      } finally {
        this.#isCommitting = false;
      }
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
      this.#onWritten();
      this.#noteSoon();
    } catch (error) {
      group ??= this.#takeOpen();
      group.durable.reject(notWritten(error));
    }
    this.#schedule();
  }

  /** Entries whose fate is unknown, or that were refused, must not leave a gap: what comes next begins a new chain. */
  #insert(take: () => readonly DecisionEntry[], since: number | undefined): Promise<void> | undefined {
    try {
      const inserting = this.#insertBatch(take, since);
      if (typeof inserting !== 'number') return this.#finishInsert(inserting, take, since);
      this.#landed(inserting);
      return undefined;
    } catch (error) {
      this.#beginChain();
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
        // Another content was restored meanwhile, or what was written last is too old to be kept.
        this.#beginChain();
        seq = await this.#insertBatch(take, since);
      }
      if (seq === undefined) throw new Error('a new chain of the decision log was there already');
      this.#landed(seq);
    } catch (error) {
      this.#beginChain();
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

  #landed(seq: number): void {
    this.#chain.landed(seq);
    if (this.#lastGroup && this.#finds.size < maxFinds) this.#finds.set(seq, this.#lastGroup.finds);
  }

  get #chain(): DecisionChain {
    this.#begun ??= new DecisionChain({ now: this.#clock.now(), holder: this.#leases.holder });
    return this.#begun;
  }

  #beginChain(): void {
    this.#begun = undefined;
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
  return new HubError('UNAVAILABLE', 'The decision log cannot be written, so the call is refused. Try again later.', {
    cause: error,
  });
}
