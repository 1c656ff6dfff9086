import { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { TeamConcern } from '../team/team-store.ts';
import type { Database } from './database.ts';

/** In the order in which a transaction raises their counters. */
export const teamConcerns: readonly TeamConcern[] = ['members', 'mail', 'work'];

/** Tells which concerns of the team changed, by comparing their counters with the last ones seen. */
export class TeamChanges {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #listeners: EventChannel<readonly TeamConcern[]>;
  readonly #seen = new Map<TeamConcern, number>();
  #stop: (() => void) | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: { database: Database; logger: Logger }) {
    this.#database = options.database;
    this.#logger = options.logger;
    this.#listeners = new EventChannel((error) =>
      options.logger.error({ err: error }, 'a listener of the team failed'),
    );
  }

  watch(onChange: (what: readonly TeamConcern[]) => void): () => void {
    const stop = this.#listeners.on(onChange);
    if (!this.#stop) {
      this.#seen.clear();
      const counters = this.#counters();
      // Where they cannot be told at once, everything counts as changed when they are read.
      if (counters) this.#learn(counters);
      else this.#check();
      this.#stop = this.#database.watch(() => this.#check());
    }
    return () => {
      stop();
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #check(): void {
    const counters = this.#counters();
    if (counters) {
      this.#report(counters);
      return;
    }
    this.#reading = this.#reading
      .then(async () => this.#report(await this.#readCounters()))
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'changes of the team could not be read'));
  }

  #counters(): Map<TeamConcern, number> | undefined {
    const counters = new Map<TeamConcern, number>();
    for (const concern of teamConcerns) {
      const value = this.#database.revision(concern);
      if (value === undefined) return undefined;
      counters.set(concern, value);
    }
    return counters;
  }

  async #readCounters(): Promise<Map<TeamConcern, number>> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('revisions').selectAll().where('key', 'in', teamConcerns).execute(),
    );
    return new Map(teamConcerns.map((concern) => [concern, rows.find((row) => row.key === concern)?.value ?? 0]));
  }

  #report(counters: ReadonlyMap<TeamConcern, number>): void {
    const changed = this.#learn(counters);
    if (changed.length > 0) this.#listeners.emit(changed);
  }

  /** A counter only grows, so one that was read earlier and comes later says nothing. */
  #learn(counters: ReadonlyMap<TeamConcern, number>): TeamConcern[] {
    const changed = teamConcerns.filter((concern) => (counters.get(concern) ?? 0) > (this.#seen.get(concern) ?? -1));
    for (const concern of changed) this.#seen.set(concern, counters.get(concern) ?? 0);
    return changed;
  }
}
