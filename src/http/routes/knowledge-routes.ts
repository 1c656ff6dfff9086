import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { findPassages, primedSection } from '../../agents/prime-prompt.ts';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { toDocumentBody } from '../../knowledge/document-body.ts';
import { SearchRequest } from '../../knowledge/search-request.ts';
import type * as Api from '../api-types.ts';
import * as Schemas from '../knowledge-schemas.ts';
import { defineRoute, type Route } from '../route.ts';

const group = 'Knowledge';

/** The knowledge base as the web app sees it; agents and clients use the tools `search`, `get` and `sources`. */
export function knowledgeRoutes(hub: Hub): Route[] {
  return [...readingRoutes(hub), ...changingRoutes(hub)];
}

function readingRoutes(hub: Hub): Route[] {
  const { knowledge } = hub;
  return [
    defineRoute({
      method: 'get',
      path: '/api/knowledge',
      group,
      summary: 'Read what the knowledge base holds and where it comes from',
      answer: { status: 200, description: 'Sources and counts.', schema: Schemas.KnowledgeBody },
      handle: async ({ context }) => {
        const [sources, stats] = await Promise.all([knowledge.sources(), knowledge.stats()]);
        const { documents, chunks, size, embeddings } = stats;
        const body: Api.KnowledgeBody = { sources, documents, chunks, size, embeddings };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/knowledge/documents',
      group,
      summary: 'List documents',
      query: z.strictObject({
        source: z.string().min(1).max(300).optional(),
        text: z.string().max(300).optional().describe('Words in the title or the path.'),
        limit: z.coerce.number().int().min(1).max(500).default(100),
        cursor: z.string().max(2_000).optional(),
      }),
      answer: { status: 200, description: 'A page of documents.', schema: Schemas.DocumentListBody },
      errors: [400],
      handle: async ({ context, query: { source, text, limit, cursor } }) => {
        const page = await knowledge.documents({
          limit,
          ...(source !== undefined && { source }),
          ...(text !== undefined && { text }),
          ...(cursor !== undefined && { cursor }),
        });
        const body: Api.DocumentListBody = { documents: page.documents.map(toDocumentBody), cursor: page.cursor };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/knowledge/documents/{id}',
      group,
      summary: 'Read a document with its passages',
      answer: { status: 200, description: 'The document.', schema: Schemas.DocumentBody },
      errors: [404],
      handle: async ({ context, param }) => {
        const [document, passages] = await Promise.all([knowledge.get(param('id')), knowledge.chunks(param('id'))]);
        const body: Api.DocumentBody = { document: toDocumentBody(document), body: document.body, passages };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/knowledge/explain',
      group,
      summary: 'Explain why a file is read or left out',
      query: z.strictObject({
        path: z.string().min(1).max(4_000).describe('Inside the folder or repository, or absolute.'),
        target: z.string().min(1).max(300).default('all').describe('`all`, a type, or one source.'),
      }),
      answer: {
        status: 200,
        description: 'What each source that has the file says of it.',
        schema: Schemas.ExplainBody,
      },
      errors: [400, 404],
      handle: async ({ context, query: { path, target }, signal }) => {
        const body: Api.ExplainBody = { explanations: await knowledge.explain(path, { target, signal }) };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/knowledge/search',
      hasOwnLimits: true,
      group,
      summary: 'Search',
      description: 'What the tool `search` does, for people who type: nothing is written to the decision log.',
      body: { schema: SearchRequest, example: { query: 'retry after a timeout', limit: 5 } },
      answer: { status: 200, description: 'The best first.', schema: Schemas.SearchBody },
      errors: [400],
      handle: async ({ context, body, signal }) => {
        const startedAt = performance.now();
        const found = await knowledge.find(asRequest(body), { signal });
        const answer: Api.SearchBody = { ...found, durationMs: performance.now() - startedAt };
        return context.json(answer);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/knowledge/prime',
      hasOwnLimits: true,
      group,
      summary: 'Show what an agent would be primed with',
      body: {
        schema: Schemas.PrimeRequest,
        example: { arguments: [], knowledge: [{ query: 'coding standards', limit: 3 }], values: {} },
      },
      answer: {
        status: 200,
        description: 'The passages, and the text the prompt would get.',
        schema: Schemas.PrimeBody,
      },
      errors: [400],
      handle: async ({ context, body, signal }) => {
        const request = parseWith(Schemas.PrimeRequest, body);
        const primings = await findPassages(request, { args: request.values, knowledge, signal });
        const answer: Api.PrimeBody = { primings, text: primedSection(primings) };
        return context.json(answer);
      },
    }),
  ];
}

function changingRoutes(hub: Hub): Route[] {
  const { knowledge } = hub;
  return [
    defineRoute({
      method: 'post',
      path: '/api/knowledge/sources',
      group,
      summary: 'Add a folder or a repository',
      body: {
        schema: Schemas.NewSource,
        example: { type: 'filesystem', name: 'notes', settings: { root: '~/notes' } },
      },
      answer: { status: 201, description: 'The source; start a sync to fill it.', schema: Schemas.SourceBody },
      errors: [400, 409],
      handle: async ({ context, body }) =>
        context.json(await knowledge.addSource(parseWith(Schemas.NewSource, body)), 201),
    }),
    defineRoute({
      method: 'delete',
      path: '/api/knowledge/sources/{source}',
      group,
      summary: 'Remove a source and its documents',
      answer: { status: 204, description: 'It is gone.' },
      errors: [403, 404],
      deniedCode: 'read_only',
      handle: async ({ context, param }) => {
        await knowledge.removeSource(param('source'));
        return context.body(null, 204);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/knowledge/sync',
      group,
      summary: 'Start a sync',
      description:
        'Answers at once; /api/events tells how it goes. A source that is being synced, here or by another process, is synced again after that. The request is kept until it is answered.',
      body: { schema: Schemas.SyncRequest, isOptional: true, example: { target: 'all' } },
      answer: { status: 202, description: 'The sources it walks through.', schema: Schemas.SyncStartedBody },
      errors: [400, 404],
      handle: async ({ context, body }) => {
        const answer: Api.SyncStartedBody = await knowledge.startSync(parseWith(Schemas.SyncRequest, body ?? {}));
        return context.json(answer, 202);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/knowledge/sync/cancel',
      group,
      summary: 'Cancel a sync',
      body: { schema: Schemas.CancelRequest, example: { source: 'filesystem:notes' } },
      answer: { status: 204, description: 'It ends soon; what was indexed stays.' },
      errors: [404],
      handle: ({ context, body }) => {
        const { source } = parseWith(Schemas.CancelRequest, body);
        if (knowledge.cancelSync(source)) return context.body(null, 204);
        throw new HubError('NOT_FOUND', `This process runs no sync of "${source}".`);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/knowledge/embed',
      group,
      summary: 'Embed what has no vector yet',
      description: 'Answers at once; /api/events tells how it goes.',
      body: { schema: Schemas.EmbedRequest, isOptional: true, example: { rebuild: false } },
      answer: { status: 202, description: 'It has begun.' },
      errors: [400],
      handle: ({ context, body }) => {
        knowledge.startEmbedding(parseWith(Schemas.EmbedRequest, body ?? {}));
        return context.body(null, 202);
      },
    }),
  ];
}

/** Checked by the search itself, as for every other surface. */
function asRequest(body: unknown): z.input<typeof SearchRequest> {
  return body as z.input<typeof SearchRequest>;
}
