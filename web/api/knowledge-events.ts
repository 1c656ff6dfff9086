import type { QueryClient } from '@tanstack/react-query';
import type { KnowledgeBody } from '../../src/knowledge/knowledge.contract.ts';
import type { EmbedProgress, KnowledgeEvent } from '../../src/knowledge/knowledge.ts';
import type { SyncProgress } from '../../src/knowledge/sync-report.ts';
import { keys } from './queries.ts';

/** How the embedding that runs, or the last one, goes. */
export type EmbeddingNews = Extract<KnowledgeEvent, { type: 'embedding' }>;

/** A sync publishes many batches a second; what is on the screen is fetched again at most this often. */
const refreshMs = 700;

/** Keeps what the page shows of the knowledge base in step with the hub. */
export function knowledgeListener(client: QueryClient): { apply: (event: KnowledgeEvent) => void; close: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refreshSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void client.invalidateQueries({ queryKey: keys.knowledge });
    }, refreshMs);
  };
  const apply = (event: KnowledgeEvent) => {
    switch (event.type) {
      case 'progress':
        client.setQueryData<KnowledgeBody>(
          keys.knowledgeOverview,
          (body) => body && withProgress(body, event.progress),
        );
        return;
      case 'changed':
        refreshSoon();
        return;
      case 'embedding':
        client.setQueryData<EmbeddingNews>(keys.embeddingNews, event);
        client.setQueryData<KnowledgeBody>(
          keys.knowledgeOverview,
          (body) => body && withEmbedding(body, event.progress),
        );
        if (event.done) refreshSoon();
        return;
      case 'sources':
      case 'synced':
        void client.invalidateQueries({ queryKey: keys.knowledgeOverview });
        refreshSoon();
    }
  };
  return { apply, close: () => clearTimeout(timer) };
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
