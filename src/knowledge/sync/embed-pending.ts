import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { embeddedText } from '../document.ts';
import type { Embedder } from '../embedder.ts';
import type { EmbedProgress } from '../knowledge.ts';
import type { KnowledgeStore, VectorStore } from '../store/knowledge-store.ts';

export interface EmbedParts {
  store: Pick<KnowledgeStore, 'vectors'>;
  embedder: Embedder;
  clock: Clock;
  logger: Logger;
}

export interface EmbedOptions {
  /** Forget all vectors and make them anew. */
  rebuild?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: EmbedProgress) => void;
}

type PendingChunk = Awaited<ReturnType<VectorStore['pending']>>[number];

/** Finding what is pending costs more than one batch of it. */
const leastPage = 512;

/**
 * Gives a vector to every chunk that has none of this model, and saves each batch at once: what is done stays done.
 * Vectors of another model go when the new ones are complete. Throws as `embed` does, and CANCELLED.
 */
export async function embedPending(parts: EmbedParts, options: EmbedOptions): Promise<EmbedProgress> {
  const { embedder, clock, logger } = parts;
  const { vectors } = parts.store;
  const { key, batchSize } = embedder;
  const signal = options.signal ?? new AbortController().signal;
  const startedAt = clock.now();
  if (options.rebuild) await vectors.clear({});

  let total = await vectors.countPending(key);
  const progress: EmbedProgress = { embedded: 0, pending: total };
  options.onProgress?.({ ...progress });
  for (let page = await nextPage(); page.length > 0; page = await nextPage()) {
    for (let start = 0; start < page.length; start += batchSize) {
      const batch = page.slice(start, start + batchSize);
      await embedBatch(batch);
      progress.embedded += batch.length;
      // A sync may add to it meanwhile.
      total = Math.max(total, progress.embedded);
      progress.pending = total - progress.embedded;
      options.onProgress?.({ ...progress });
    }
  }
  // A sync may have added more since the last look; until those are done too, the old model's vectors stay.
  progress.pending = await vectors.countPending(key);
  const replaced = progress.pending === 0 ? await vectors.clear({ except: key }) : 0;
  const pruned = await vectors.prune();
  logger.debug(
    { key, ...progress, replaced, pruned, durationMs: clock.now() - startedAt },
    'embedded what was pending',
  );
  return progress;

  /** A text that stands in several places is pending once. */
  async function nextPage(): Promise<PendingChunk[]> {
    const found = await vectors.pending(key, Math.max(leastPage, batchSize));
    return [...new Map(found.map((chunk) => [chunk.hash, chunk])).values()];
  }

  async function embedBatch(batch: readonly PendingChunk[]): Promise<void> {
    if (signal.aborted) throw cancelled(signal);
    const texts = batch.map((chunk) => embeddedText(chunk.title, chunk));
    const made = await embedder.embed(texts, { signal, purpose: 'document' });
    const rows = batch.flatMap(({ hash }, at) => {
      const vector = made[at];
      return vector ? [{ hash, vector }] : [];
    });
    if (rows.length !== batch.length) {
      const what = `The embedder ${key} gave ${rows.length} vectors for ${batch.length} texts.`;
      throw new HubError('UNAVAILABLE', `${what} Nothing of this batch was saved.`);
    }
    await vectors.save(key, rows);
  }
}

function cancelled({ reason }: AbortSignal): HubError {
  return reason instanceof HubError ? reason : new HubError('CANCELLED', 'The embedding was cancelled.');
}
