import { z } from 'zod';

/** Something a person should repair: a broken file, two agents with one id, two tools with one name. */
export const SourceProblem = z.object({
  place: z.string(),
  message: z.string(),
  agentId: z.string().exactOptional(),
  isCritical: z
    .boolean()
    .exactOptional()
    .describe('True if the hub cannot work until this is fixed, for example when the database is unavailable.'),
});
export type SourceProblem = z.infer<typeof SourceProblem>;

export interface SourceSnapshot<T> {
  /** Unchanged entries are the same objects as in the snapshot before. */
  entries: readonly T[];
  problems: readonly SourceProblem[];
}

/** Where agents or tools come from. A registry follows it: it takes a snapshot, and another after each change. */
export interface Source<T> {
  /** The newest snapshot; the same object while nothing changed, so that asking often is cheap. Never throws for a broken file: it reports a problem and keeps what it read last. */
  snapshot(): Promise<SourceSnapshot<T>> | SourceSnapshot<T>;
  /** Calls back when a new snapshot may be there, also after changes by other processes. */
  watch?(onChange: () => void): () => void;
  close?(): Promise<void> | void;
}
