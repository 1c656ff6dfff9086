import { z } from 'zod';
import { skipReasons } from '../connector.ts';

/** The progress of a sync. */
export const SyncProgress = z.object({
  source: z.string(),
  /** "queued" while another sync of the source runs. */
  phase: z.enum(['queued', 'scanning', 'indexing', 'removing', 'merging', 'done']),
  /** The items seen so far, and how many of them must be read. */
  seen: z.int(),
  toRead: z.int(),
  read: z.int(),
});
export type SyncProgress = z.infer<typeof SyncProgress>;

/** The result of a sync. */
export const SyncReport = z.object({
  source: z.string(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  unchanged: z.int(),
  failed: z.array(z.object({ sourceId: z.string(), message: z.string() })),
  failedCount: z.int(),
  skipped: z
    .array(z.object({ reason: z.enum(skipReasons), files: z.int(), folders: z.int() }))
    .exactOptional()
    .describe('Files and folders that were skipped on purpose. A folder counts once, whatever it contains.'),
  dropped: z
    .array(z.object({ reason: z.enum(skipReasons), documents: z.int() }))
    .exactOptional()
    .describe('Removed documents whose file still exists but is now skipped.'),
  /** The number of chunks written. */
  chunks: z.int(),
  dryRun: z.boolean(),
  durationMs: z.number(),
  /** Why the sync ended early. What it indexed until then stays. */
  error: z.string().exactOptional(),
});
export type SyncReport = z.infer<typeof SyncReport>;
