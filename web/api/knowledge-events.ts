import type { QueryClient } from '@tanstack/react-query';
import type { LiveNews } from '../../src/http/hub.contract.ts';
import type { KnowledgeBody } from '../../src/knowledge/knowledge.contract.ts';
import type { EmbedProgress } from '../../src/knowledge/knowledge.ts';
import type { SyncProgress } from '../../src/knowledge/sync/sync-report.ts';
import { keys } from './queries.ts';

/** The progress of the current or last embedding run. */
export type EmbeddingNews = Extract<LiveNews['progress'], { type: 'embedding' }>;

/** Puts the progress of a sync or embedding run into the cache. Changed data arrives as a separate event. */
export function showProgress(client: QueryClient, event: LiveNews['progress']): void {
  const change = (changed: (body: KnowledgeBody) => KnowledgeBody) =>
    client.setQueryData<KnowledgeBody>(keys.knowledgeOverview, (body) => body && changed(body));
  if (event.type === 'progress') change((body) => withProgress(body, event.progress));
  if (event.type !== 'embedding') return;
  client.setQueryData<EmbeddingNews>(keys.embeddingNews, event);
  change((body) => withEmbedding(body, event.progress));
}

/** Returns the overview with one source's progress updated. */
function withProgress(body: KnowledgeBody, progress: SyncProgress): KnowledgeBody {
  return {
    ...body,
    sources: body.sources.map((source) =>
      source.source === progress.source ? { ...source, state: 'syncing', progress } : source,
    ),
  };
}

/** Returns the overview with updated counts; embedded and pending always add up to the same total. */
function withEmbedding(body: KnowledgeBody, { pending }: EmbedProgress): KnowledgeBody {
  const now = body.embeddings;
  if (!('model' in now)) return body;
  const embedded = Math.max(0, now.embedded + now.pending - pending);
  return { ...body, embeddings: { ...now, embedded, pending } };
}
