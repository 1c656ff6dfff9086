import { type Clock, toIso } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { SkipReason } from '../connector.ts';
import type { SourceState, SourceStore } from '../store/knowledge-store.ts';
import type { SyncProgress, SyncReport } from './sync-report.ts';

const emitMs = 50;
const saveMs = 500;
const maxFailures = 100;

type SavedState = Parameters<SourceStore['saveState']>[1];

/** Counts what a sync does, reports progress to the caller, and saves it for other processes. */
export class SyncTally {
  readonly report: SyncReport;
  readonly startedAt: number;
  readonly #parts: { sources: SourceStore | undefined; clock: Clock; logger: Logger };
  readonly #onProgress: ((progress: SyncProgress) => void) | undefined;
  readonly #progress: SyncProgress;
  readonly #before: SourceState | undefined;
  #newest = Number.NEGATIVE_INFINITY;
  #emittedAt = Number.NEGATIVE_INFINITY;
  #savedAt = Number.NEGATIVE_INFINITY;
  #saving: Promise<void> | undefined;

  constructor(
    /** Without `sources`, nothing is saved. */
    parts: { sources: SourceStore | undefined; clock: Clock; logger: Logger },
    options: {
      source: string;
      startedAt: number;
      before: SourceState | undefined;
      onProgress: ((progress: SyncProgress) => void) | undefined;
    },
  ) {
    this.#parts = parts;
    this.startedAt = options.startedAt;
    this.#before = options.before;
    this.#onProgress = options.onProgress;
    this.#progress = { source: options.source, phase: 'scanning', seen: 0, toRead: 0, read: 0 };
    this.report = {
      source: options.source,
      added: 0,
      changed: 0,
      removed: 0,
      unchanged: 0,
      fetched: 0,
      upserted: 0,
      newestAt: null,
      failed: [],
      failedCount: 0,
      chunks: 0,
      dryRun: parts.sources === undefined,
      durationMs: 0,
    };
  }

  fail(sourceId: string, message: string): void {
    this.report.failedCount += 1;
    if (this.report.failed.length < maxFailures) this.report.failed.push({ sourceId, message });
  }

  skip(reason: SkipReason, isFolder: boolean): void {
    this.report.skipped ??= [];
    const { skipped } = this.report;
    let entry = skipped.find((each) => each.reason === reason);
    if (!entry) {
      entry = { reason, files: 0, folders: 0 };
      skipped.push(entry);
    }
    if (isFolder) entry.folders += 1;
    else entry.files += 1;
  }

  /** Counts a removed document. `reason` tells why its file is skipped; undefined when the file is gone. */
  removed(reason: SkipReason | undefined): void {
    this.report.removed += 1;
    if (reason === undefined) return;
    this.report.dropped ??= [];
    const entry = this.report.dropped.find((each) => each.reason === reason);
    if (entry) entry.documents += 1;
    else this.report.dropped.push({ reason, documents: 1 });
  }

  /** Reports the failure of an item that was counted as one to read. */
  failToRead(sourceId: string, message: string): void {
    this.fail(sourceId, message);
    this.read(1);
  }

  saw(item: { updatedAt: number }, options: { mustRead: boolean }): void {
    this.#progress.seen += 1;
    if (options.mustRead) {
      this.#progress.toRead += 1;
      this.report.fetched += 1;
    }
    if (item.updatedAt > this.#newest) {
      this.#newest = item.updatedAt;
      this.report.newestAt = toIso(item.updatedAt);
    }
    this.#emit();
  }

  read(items: number): void {
    this.#progress.read += items;
    this.#emit();
  }

  enter(phase: SyncProgress['phase']): void {
    this.#progress.phase = phase;
    this.#emittedAt = Number.NEGATIVE_INFINITY;
    this.#emit();
  }

  /** Reports and saves the outcome. */
  async finish(outcome: NonNullable<SourceState['outcome']>, message: string | null): Promise<void> {
    const { clock } = this.#parts;
    this.report.durationMs = clock.now() - this.startedAt;
    if (message !== null) this.report.error = message;
    this.enter('done');
    await this.#saving;
    await this.#save({ finishedAt: clock.now(), outcome, message, report: { ...this.report } });
  }

  /** Resolves when the progress so far is saved. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  /** Stops saving, because another process has taken over this source. */
  async silence(): Promise<void> {
    this.#savedAt = Number.POSITIVE_INFINITY;
    await this.#saving;
  }

  #emit(): void {
    const now = this.#parts.clock.now();
    if (now - this.#emittedAt >= emitMs) {
      this.#emittedAt = now;
      this.#onProgress?.({ ...this.#progress });
    }
    if (now - this.#savedAt >= saveMs && !this.#saving && this.#progress.phase !== 'done') {
      this.#savedAt = now;
      this.#saving = this.#save(this.#soFar())
        .catch((error: unknown) => this.#parts.logger.warn({ err: error }, 'the progress of a sync could not be saved'))
        .finally(() => {
          this.#saving = undefined;
        });
    }
  }

  /** Keeps the outcome of the last sync until this one ends, but replaces its report with the progress. */
  #soFar(): Omit<SavedState, 'startedAt'> {
    const { finishedAt = null, outcome = null, message = null } = this.#before ?? {};
    return { finishedAt, outcome, message, report: { ...this.#progress } };
  }

  async #save(state: Omit<SavedState, 'startedAt'>): Promise<void> {
    await this.#parts.sources?.saveState(this.report.source, { startedAt: this.startedAt, ...state });
  }
}
