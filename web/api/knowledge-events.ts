import type { QueryClient } from '@tanstack/react-query';
import type { LiveNews } from '../../src/http/hub.contract.ts';
import type { KnowledgeBody } from '../../src/knowledge/knowledge.contract.ts';
import type { EmbedProgress } from '../../src/knowledge/knowledge.ts';
import type { SyncProgress } from '../../src/knowledge/sync/sync-report.ts';
import { keys } from './queries.ts';

/** How the embedding that runs, or the last one, goes. */
export type EmbeddingNews = Extract<LiveNews['progress'], { type: 'embedding' }>;

/** Shows how a sync or an embedding goes; what it changed is told apart from that, and fetched again. */
export function showProgress(client: QueryClient, event: LiveNews['progress']): void {
  const change = (changed: (body: KnowledgeBody) => KnowledgeBody) =>
    client.setQueryData<KnowledgeBody>(keys.knowledgeOverview, (body) => body && changed(body));
  if (event.type === 'progress') change((body) => withProgress(body, event.progress));
  if (event.type !== 'embedding') return;
  client.setQueryData<EmbeddingNews>(keys.embeddingNews, event);
  change((body) => withEmbedding(body, event.progress));
}

/** The overview with one source further on its way. */
function withProgress(body: KnowledgeBody, progress: SyncProgress): KnowledgeBody {
  return {
    ...body,
    sources: body.sources.map((source) =>
      source.source === progress.source ? { ...source, state: 'syncing', progress } : source,
    ),
  };
}

/** What a run has done so far adds nothing to what is pending: both always make the whole. */
function withEmbedding(body: KnowledgeBody, { pending }: EmbedProgress): KnowledgeBody {
  const now = body.embeddings;
  if (!('model' in now)) return body;
  const embedded = Math.max(0, now.embedded + now.pending - pending);
  return { ...body, embeddings: { ...now, embedded, pending } };
}
