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
  /** Deletes all vectors and creates them again. */
  rebuild?: boolean;
  /** Embeds at most this many chunks. */
  limit?: number;
  /** Chunks per request, instead of the embedder's own number. */
  batchSize?: number;
  /** Only counts the chunks. */
  dryRun?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: EmbedProgress) => void;
}

type PendingChunk = Awaited<ReturnType<VectorStore['pending']>>[number];

/** A page covers several small batches, because finding pending chunks costs more than embedding a batch. */
const minPage = 512;

/**
 * Embeds every chunk that has no vector of this model yet. Saves each batch at once, so that no work is lost. Deletes the
 * vectors of other models when the new ones are complete. Throws like `embed`, and CANCELLED.
 */
export async function embedPending(parts: EmbedParts, options: EmbedOptions): Promise<EmbedProgress> {
  const { embedder, clock, logger } = parts;
  const { vectors } = parts.store;
  const { key } = embedder;
  const { batchSize = embedder.batchSize, limit = Number.POSITIVE_INFINITY } = options;
  const signal = options.signal ?? new AbortController().signal;
  const startedAt = clock.now();
  if (options.dryRun) return { embedded: 0, pending: await vectors.countPending(key) };
  if (options.rebuild) await vectors.clear({});

  let total = await vectors.countPending(key);
  const progress: EmbedProgress = { embedded: 0, pending: total };
  options.onProgress?.({ ...progress });
  for (let page = await nextPage(); page.length > 0; page = await nextPage()) {
    for (let start = 0; start < page.length; start += batchSize) {
      const batch = page.slice(start, start + batchSize);
      await embedBatch(batch);
      progress.embedded += batch.length;
      // A sync may add chunks in the meantime.
      total = Math.max(total, progress.embedded);
      progress.pending = total - progress.embedded;
      options.onProgress?.({ ...progress });
    }
  }
  // A sync may have added more chunks. Vectors of the old model stay until those are embedded, too.
  progress.pending = await vectors.countPending(key);
  const replaced = progress.pending === 0 ? await vectors.clear({ except: key }) : 0;
  const pruned = await vectors.prune();
  logger.debug(
    { key, ...progress, replaced, pruned, durationMs: clock.now() - startedAt },
    'embedded the pending passages',
  );
  return progress;

  /** Drops duplicates: a text that occurs several times is embedded once. */
  async function nextPage(): Promise<PendingChunk[]> {
    const size = Math.min(Math.max(minPage, batchSize), limit - progress.embedded);
    const found = size > 0 ? await vectors.pending(key, size) : [];
    return [...new Map(found.map((chunk) => [chunk.hash, chunk])).values()];
  }

  async function embedBatch(batch: readonly PendingChunk[]): Promise<void> {
    if (signal.aborted) throw cancelled(signal);
    const texts = batch.map((chunk) => embeddedText(chunk.title, chunk));
    const embedded = await embedder.embed(texts, { signal, purpose: 'document', batchSize });
    const rows = batch.flatMap(({ hash }, at) => {
      const vector = embedded[at];
      return vector ? [{ hash, vector }] : [];
    });
    if (rows.length !== batch.length) {
      const what = `The embedder ${key} returned ${rows.length} vectors for ${batch.length} texts.`;
      throw new HubError('UNAVAILABLE', `${what} This batch was not saved. Run "zoo embed pending" to try again.`);
    }
    await vectors.save(key, rows);
  }
}

function cancelled({ reason }: AbortSignal): HubError {
  return reason instanceof HubError ? reason : new HubError('CANCELLED', 'The embedding was cancelled.');
}
