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
  /** New and changed items, and with `full` all items. */
  fetched: z.int(),
  /** The fetched items whose text could be read; the index holds their current text. */
  upserted: z.int(),
  /** When the newest item of the source was changed. Null if it has none. */
  newestAt: z.iso.datetime().nullable(),
  postponed: z
    .int()
    .exactOptional()
    .describe('New and changed items outside `since`, `until` and `limit`. Set only if the sync had such a limit.'),
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
  /** The number of chunks written. With `dryRun`, the number that would be. */
  chunks: z.int(),
  dryRun: z.boolean(),
  durationMs: z.number(),
  /** Why the sync ended early. What it indexed until then stays. */
  error: z.string().exactOptional(),
});
export type SyncReport = z.infer<typeof SyncReport>;
