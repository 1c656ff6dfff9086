import { performance } from 'node:perf_hooks';
import { findPassages, primedSection } from '../agents/prime-prompt.ts';
import { primeContract } from '../agents/prompts.contract.ts';
import { HubError } from '../base/hub-error.ts';
import { implement, type Route } from '../http/route.ts';
import { toDocumentSummary } from './document-part.ts';
import { viewOf } from './document-view.ts';
import { knowledgeContract } from './knowledge.contract.ts';
import type { Knowledge } from './knowledge.ts';

export function knowledgeRoutes(knowledge: Knowledge): Route[] {
  return [
    ...implement(knowledgeContract)({
      'GET /api/knowledge': async () => {
        const [sources, stats] = await Promise.all([knowledge.sources(), knowledge.stats()]);
        const { documents, chunks, size, embeddings } = stats;
        return { sources, documents, chunks, size, embeddings };
      },
      'GET /api/knowledge/documents': async ({ query: { source, text, limit, cursor } }) => {
        const page = await knowledge.documents({
          limit,
          ...(source !== undefined && { source }),
          ...(text !== undefined && { text }),
          ...(cursor !== undefined && { cursor }),
        });
        return { documents: page.documents.map(toDocumentSummary), cursor: page.cursor };
      },
      'GET /api/knowledge/documents/{id}': async ({
        params: { id },
        query: { lines, passage, max_bytes: maxBytes },
      }) => {
        const [document, passages] = await Promise.all([knowledge.get(id), knowledge.chunks(id)]);
        return viewOf(document, { lines, passage, maxBytes }, passages);
      },
      'GET /api/knowledge/explain': async ({ query: { path, target }, signal }) => ({
        explanations: await knowledge.explain(path, { target, signal }),
      }),
      'POST /api/knowledge/search': async ({ body, signal }) => {
        const startedAt = performance.now();
        const found = await knowledge.find(body, { signal });
        return { ...found, durationMs: performance.now() - startedAt };
      },
      'POST /api/knowledge/sources': ({ body }) => knowledge.addSource(body),
      'DELETE /api/knowledge/sources/{source}': ({ params }) => knowledge.removeSource(params.source),
      'POST /api/knowledge/sync': ({ body }) => knowledge.startSync(body),
      'GET /api/knowledge/sync/requests/{id}': ({ params }) => knowledge.request(params.id),
      'POST /api/knowledge/sync/cancel': async ({ body: { source } }) => {
        if (await knowledge.cancelSync(source)) return;
        throw new HubError('NOT_FOUND', `No sync of "${source}" is running or waiting.`);
      },
      'POST /api/knowledge/embed': ({ body }) => knowledge.startEmbedding(body),
    }),
    ...implement(primeContract)({
      'POST /api/knowledge/prime': async ({ body, signal }) => {
        const primings = await findPassages(body, { args: body.values, knowledge, signal });
        return { primings, text: primedSection(primings) };
      },
    }),
  ];
}
