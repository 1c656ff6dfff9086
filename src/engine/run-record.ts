import type { Clock } from '../base/clock.ts';
import type { RunProgress, RunStore } from './run-store.ts';

export interface RunRecordParts {
  store: RunStore | undefined;
  clock: Clock;
  id: string;
  /** Returns the current progress of the run. */
  progress: () => RunProgress;
  /** Called when the store fails, before the write rejects. */
  onFailure: (error: unknown) => void;
}

const heartbeatMs = 10_000;

/** Writes the state of one run to the store, one write at a time. Does nothing without a store. */
export class RunRecord {
  readonly #parts: RunRecordParts;
  readonly #ended = new AbortController();
  #writing: Promise<void> | undefined;
  #planned: Promise<void> | undefined;
  #hasBegun = false;

  constructor(parts: RunRecordParts) {
    this.#parts = parts;
  }

  get isStored(): boolean {
    return this.#parts.store !== undefined;
  }

  async begin(run: Omit<Parameters<RunStore['begin']>[0], 'id'>): Promise<void> {
    const { store, id } = this.#parts;
    if (!store) return;
    await this.#report(store.begin({ id, ...run }));
    this.#hasBegun = true;
    void this.#beat();
  }

  /** Resolves when a write that started after this call is done. Calls in the same event-loop turn share one write. */
  save(): Promise<void> {
    if (!this.#parts.store || this.#ended.signal.aborted) return Promise.resolve();
    this.#planned ??= this.#report(this.#write(this.#parts.store));
    return this.#planned;
  }

  /** Does nothing for a run that was never begun: its id may belong to another run. */
  async finish(end: Omit<Parameters<RunStore['finish']>[1], keyof RunProgress>): Promise<void> {
    const { store, id, progress } = this.#parts;
    if (!store) return;
    // An explicit reason: creating the default one is expensive.
    this.#ended.abort('over');
    if (!this.#hasBegun) return;
    await this.#planned?.catch(() => {});
    await this.#writing?.catch(() => {});
    await store.finish(id, { ...progress(), ...end });
  }

  async #write(store: RunStore): Promise<void> {
    // A write waits for the previous one, and collects all changes of this event-loop turn.
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

  /** Saves regularly, so that the record shows how long the run was alive, and a run that cannot be stored stops. */
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
