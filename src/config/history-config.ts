import { z } from 'zod';

/** `[chats]` and `[runs]`: how long what was said is kept. */
export const HistoryConfig = z.looseObject({
  /** What nobody added to for so long is deleted; with 0, and without it, all is kept. */
  keep_days: z.number().min(0).max(36_500).optional(),
});
