import type { Clock } from '../base/clock.ts';
import type { RunProgress, RunStore } from './run-store.ts';

export interface RunRecordParts {
  store: RunStore | undefined;
  clock: Clock;
  id: string;
  /** How far the run is now. */
  progress: () => RunProgress;
  /** The store refused; called before anybody hears of it otherwise. */
  onFailure: (error: unknown) => void;
}

const heartbeatMs = 10_000;

/** Keeps the state of one run in the store, one write at a time. Without a store it does nothing. */
export class RunRecord {
  readonly #parts: RunRecordParts;
  readonly #ended = new AbortController();
  #writing: Promise<void> | undefined;
  #planned: Promise<void> | undefined;
  #hasBegun = false;

  constructor(parts: RunRecordParts) {
    this.#parts = parts;
  }

  async begin(run: Omit<Parameters<RunStore['begin']>[0], 'id'>): Promise<void> {
    const { store, id } = this.#parts;
    if (!store) return;
    await this.#report(store.begin({ id, ...run }));
    this.#hasBegun = true;
    void this.#beat();
  }

  /** Resolves when a write that began after this call is done. Calls of the same moment share one. */
  save(): Promise<void> {
    if (!this.#parts.store || this.#ended.signal.aborted) return Promise.resolve();
    this.#planned ??= this.#report(this.#write(this.#parts.store));
    return this.#planned;
  }

  /** A run that was never begun is not ended: its id may be that of another one. */
  async finish(end: Omit<Parameters<RunStore['finish']>[1], keyof RunProgress>): Promise<void> {
    const { store, id, progress } = this.#parts;
    if (!store) return;
    // A reason of our own: the one that is made without it costs more than all of this.
    this.#ended.abort('over');
    if (!this.#hasBegun) return;
    await this.#planned?.catch(() => {});
    await this.#writing?.catch(() => {});
    await store.finish(id, { ...progress(), ...end });
  }

  async #write(store: RunStore): Promise<void> {
    // A write waits for the one before it, and for whatever else happens in this moment.
    await this.#writing?.catch(() => {});
    this.#writing = this.#planned;
    this.#planned = undefined;
    await store.save(this.#parts.id, this.#parts.progress());
  }

  async #report(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#parts.onFailure(error);
      throw error;
    }
  }

  /** So that a record tells how long its run went on, and a run that can no longer be kept stops. */
  async #beat(): Promise<void> {
    const { clock } = this.#parts;
    try {
      while (!this.#ended.signal.aborted) {
        await clock.sleep(heartbeatMs, this.#ended.signal);
        await this.save();
      }
    } catch {
      // The run is over, or the failure was reported.
    }
  }
}
