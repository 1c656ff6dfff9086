import { z } from 'zod';
import { toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { seenPrefix } from '../../settings/settings.ts';
import type { ChosenEmbeddingParts, EmbeddingsSeen } from './embedding-settings.ts';

const settingKey = `${seenPrefix}embeddings`;
/** The same outcome is stored again only after this time. */
const repeatMs = 60_000;

/** The last outcome of a request for vectors. It says nothing about other embeddings. */
const Stored = z.object({ embeddings: z.string(), at: z.number(), failure: z.string().nullable() });
type Stored = z.infer<typeof Stored>;

/** Remembers for all processes whether the embeddings answered when they were last asked. */
export function seenEmbeddings({
  settings,
  clock,
  logger,
}: Pick<ChosenEmbeddingParts, 'settings' | 'clock' | 'logger'>): {
  of(embeddings: string): Promise<EmbeddingsSeen>;
  /** Never throws: a search must not fail because this could not be stored. */
  record(embeddings: string, error?: unknown): Promise<void>;
} {
  let last: Stored | undefined;
  return {
    async of(embeddings) {
      const stored = (await settings.read(settingKey, Stored))?.value;
      if (stored?.embeddings !== embeddings) return { state: 'never' };
      const at = toIso(stored.at);
      return stored.failure === null ? { state: 'worked', at } : { state: 'failed', at, message: stored.failure };
    },
    async record(embeddings, error) {
      // Other errors say nothing about the embeddings: nobody waited for them, or the hub has a bug.
      if (error !== undefined && (!(error instanceof HubError) || error.code === 'CANCELLED')) return;
      const now: Stored = { embeddings, at: clock.now(), failure: error === undefined ? null : error.message };
      const isSame = last?.embeddings === now.embeddings && last.failure === now.failure;
      if (isSame && last && now.at - last.at < repeatMs) return;
      last = now;
      try {
        await settings.write(settingKey, now);
      } catch (cause) {
        logger.warn({ err: cause }, 'the outcome of a request for embeddings was not stored');
      }
    },
  };
}
