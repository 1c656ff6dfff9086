import { z } from 'zod';

/** Something the user should fix: a broken file, two agents with one id, two tools with one name. */
export const SourceProblem = z.object({
  place: z.string(),
  message: z.string(),
  agentId: z.string().exactOptional(),
  isCritical: z
    .boolean()
    .exactOptional()
    .describe('True if the hub cannot work until this is fixed, for example when the database is unavailable.'),
  since: z.iso.datetime().exactOptional().describe('Since when the hub is read-only because of it.'),
});
export type SourceProblem = z.infer<typeof SourceProblem>;

export interface SourceSnapshot<T> {
  /** Unchanged entries are the same objects as in the previous snapshot. */
  entries: readonly T[];
  problems: readonly SourceProblem[];
}

/** Where agents or tools come from. A registry takes a snapshot, and another one after each change. */
export interface Source<T> {
  /**
   * Returns the newest snapshot: the same object while nothing has changed, so that frequent calls are cheap. Does not throw for a
   * broken file: it reports a problem and keeps the last good content.
   */
  snapshot(): Promise<SourceSnapshot<T>> | SourceSnapshot<T>;
  /** Calls back when there may be a new snapshot, including after changes by other processes. */
  watch?(onChange: () => void): () => void;
  close?(): Promise<void> | void;
}
