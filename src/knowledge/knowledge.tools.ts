import { z } from 'zod';
import { defineReadingTool, type Tool, type ToolContext } from '../tools/tool.ts';
import { DocumentPart, DocumentRequest, partOf } from './document-part.ts';
import { type Knowledge, type KnowledgeReader, sourceStatus } from './knowledge.ts';
import { SearchRequest, SearchResult } from './search/search-request.ts';
import { outsideSourceOf } from './untrusted.ts';

/** The three tools of the knowledge base: `search`, `get` and `sources`. */
export function knowledgeTools(knowledge: KnowledgeReader & Pick<Knowledge, 'chunks' | 'find'>): Tool[] {
  return [
    defineReadingTool({
      name: 'search',
      title: 'Search the knowledge base',
      description:
        'Finds passages in the indexed documents. Returns one passage per document, best first, with source, path and lines. Use `get` with an id to read more of a document.',
      input: SearchRequest.refine(({ query }) => query.trim() !== '', {
        path: ['query'],
        message: 'must not be empty',
      }),
      output: z.object({ results: z.array(SearchResult) }),
      run: async (request, context) => {
        // A search by meaning waits for the embedder, which has its own timeout.
        if (request.mode !== 'keyword') context.liftDeadline?.();
        const { results } = await knowledge.find(request, { signal: context.signal });
        for (const result of results) noteReading(context, result);
        return { results };
      },
    }),
    defineReadingTool({
      name: 'get',
      title: 'Read a document',
      description:
        'Returns one document from the knowledge base, or only the given `lines` or `passage`. Take the id from `search`. A long text is cut after 64 KB; `next` holds the arguments of the call that reads on.',
      input: DocumentRequest,
      output: DocumentPart,
      run: async ({ id, ...request }, context) => {
        const part = await partOf(await knowledge.get(id), request, () => knowledge.chunks(id));
        noteReading(context, part);
        return part;
      },
    }),
    defineReadingTool({
      name: 'sources',
      title: 'List knowledge sources',
      description: 'Lists the sources of the knowledge base, with their health, counts and last sync.',
      input: z.strictObject({}),
      output: z.object({
        sources: z.array(
          z.object({
            name: z.string().describe('For the `source` filter of `search`.'),
            configured: z.boolean().describe('False for a source that left the config and still has documents.'),
            healthy: z.boolean(),
            notes: z.string().nullable().describe('Why it is not healthy, or where its documents are.'),
            source: z.string().describe('The same as `name`.'),
            type: z.string(),
            place: z.string(),
            documents: z.int(),
            chunks: z.int(),
            state: z.string(),
            last_synced_at: z.string().nullable(),
            message: z.string().nullable(),
          }),
        ),
      }),
      run: async () => ({
        sources: (await knowledge.sources()).map((each) => ({
          ...sourceStatus(each),
          source: each.source,
          type: each.type,
          place: each.place,
          documents: each.documents,
          chunks: each.chunks,
          state: each.state,
          last_synced_at: each.lastSyncedAt,
          message: each.message,
        })),
      }),
    }),
  ];
}

/** Tells a run that it reads text from outside. */
function noteReading({ caller }: ToolContext, document: Parameters<typeof outsideSourceOf>[0]): void {
  const source = outsideSourceOf(document);
  if (source !== undefined) caller.reading?.add(source);
}
