import type { RunStore } from '../engine/run-store.ts';

/** The runs in the database. */
export interface StoredRunHistory extends RunStore {
  /** A run in a chat passes no messages: it is a range of the chat's own. */
  begin(run: Parameters<RunStore['begin']>[0] & { chatId?: string }): Promise<void>;
  /** Marks the runs of processes that are gone as interrupted. Returns how many. */
  endAbandoned(): Promise<number>;
  /** Deletes runs that began earlier and have ended. Returns how many. */
  prune(before: number): Promise<number>;
}
