import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { wholeNumber } from '../base/contract-fields.ts';
import { SourceName } from './connector.ts';
import { DocumentPart, DocumentSummary, LineText, largestPartBytes, usualPartBytes } from './document-part.ts';
import { EmbeddingState, SourceExplanation, SourceInfo } from './knowledge.ts';
import { SearchMode, SearchRequest, SearchResult } from './search/search-request.ts';
import { RequestedSync } from './store/sync-requests.ts';

const target = z.string().min(1).max(300);

const KnowledgeBody = z.object({
  sources: z.array(SourceInfo),
  documents: z.int(),
  chunks: z.int(),
  /** Characters of all texts. */
  size: z.int(),
  embeddings: EmbeddingState,
});
export type KnowledgeBody = z.infer<typeof KnowledgeBody>;

const DocumentView = z.object({
  document: DocumentSummary,
  body: z.string().describe('The text of this range.'),
  range: DocumentPart.shape.range,
  next: z
    .object({ lines: z.string() })
    .nullable()
    .describe('The next range to request. Null at the end of the document.'),
  totalPassages: z.int(),
  outline: z
    .array(z.object({ ordinal: z.int(), heading: z.array(z.string()), startLine: z.int() }))
    .describe('The headings of the first passages.'),
  passages: z.array(
    z.object({
      ordinal: z.int(),
      heading: z.array(z.string()),
      startLine: z.int(),
      endLine: z.int(),
      text: z.string(),
      tokens: z.int(),
    }),
  ),
});
export type DocumentView = z.infer<typeof DocumentView>;

const SearchBody = z.object({ results: z.array(SearchResult), mode: SearchMode, durationMs: z.number() });
export type SearchBody = z.infer<typeof SearchBody>;

/** The knowledge base as the web app sees it; agents and clients use the tools `search`, `get` and `sources`. */
export const knowledgeContract = defineContract('Knowledge', {
  'GET /api/knowledge': {
    right: 'administer',
    summary: 'Read the state of the knowledge base',
    answer: 'Sources, counts and embeddings.',
    output: KnowledgeBody,
  },
  'GET /api/knowledge/documents': {
    right: 'administer',
    summary: 'List documents',
    query: z.strictObject({
      source: target.optional(),
      text: z.string().max(300).optional().describe('Words to find in the title or the path.'),
      limit: wholeNumber.min(1).max(500).default(100),
      cursor: z.string().max(2_000).optional(),
    }),
    answer: 'A page of documents.',
    output: z.object({ documents: z.array(DocumentSummary), cursor: z.string().nullable() }),
    errors: [400],
  },
  'GET /api/knowledge/documents/{id}': {
    right: 'administer',
    summary: 'Read a document with its passages',
    query: z.strictObject({
      lines: LineText.optional().describe('A range of lines: "120-180", "120-" (to the end) or "120" (one line).'),
      passage: wholeNumber
        .min(0)
        .optional()
        .describe('If the document is too long for one reply, start near this passage.'),
      max_bytes: wholeNumber
        .min(4)
        .max(largestPartBytes)
        .optional()
        .describe(`The maximum size of the text in bytes. Default: ${usualPartBytes}.`),
    }),
    answer: 'The document, or a part of it.',
    output: DocumentView,
    errors: [400, 404],
  },
  'GET /api/knowledge/explain': {
    right: 'administer',
    summary: 'Explain why a file is indexed or skipped',
    query: z.strictObject({
      path: z.string().min(1).max(4_000).describe('A path inside the folder or repository, or an absolute path.'),
      target: target.default('all').describe('`all`, a type, or one source.'),
    }),
    answer: 'One explanation for each source that contains the file.',
    output: z.object({ explanations: z.array(SourceExplanation) }),
    errors: [400, 404],
  },
  'POST /api/knowledge/search': {
    right: 'use',
    hasOwnLimits: true,
    summary: 'Search the knowledge base',
    description: 'Works like the tool `search`, but does not write to the decision log.',
    body: SearchRequest,
    example: { query: 'retry after a timeout', limit: 5 },
    answer: 'The results, best first.',
    output: SearchBody,
    errors: [400],
  },
  'POST /api/knowledge/sources': {
    right: 'administer',
    summary: 'Add a folder or a repository',
    shownFields: ['type', 'name'],
    // Scripts can only be added in the config file.
    body: z.strictObject({
      type: z.enum(['filesystem', 'git']),
      name: SourceName,
      settings: z.record(z.string(), z.unknown()),
    }),
    example: { type: 'filesystem', name: 'notes', settings: { root: '~/notes' } },
    status: 201,
    answer: 'The source. Start a sync to index it.',
    output: SourceInfo,
    errors: [400, 409],
  },
  'DELETE /api/knowledge/sources/{source}': {
    right: 'administer',
    summary: 'Remove a source and its documents',
    status: 204,
    answer: 'The source was removed.',
    errors: [403, 404],
    deniedCode: 'read_only',
  },
  'POST /api/knowledge/sync': {
    right: 'administer',
    summary: 'Start a sync',
    shownFields: ['target', 'full', 'allowEmpty'],
    description:
      'Replies at once; /api/events reports the progress. If a source is already being synced, by this or another process, it is synced again afterwards.',
    body: z.strictObject({
      target: target.default('all').describe('`all`, a type, or one source such as `git:runbooks`.'),
      full: z.boolean().default(false).describe('Read all documents again, even unchanged ones.'),
      allowEmpty: z
        .boolean()
        .default(false)
        .describe('If a scan finds no documents, remove all documents of that source. Otherwise they are kept.'),
    }),
    isBodyOptional: true,
    example: { target: 'all' },
    status: 202,
    answer: 'The sources that are being synced.',
    output: z.object({
      sources: z.array(z.string()),
      queued: z.array(z.string()).describe('Sources that start after their current sync ends.'),
      requests: z
        .array(z.object({ source: z.string(), id: z.string() }))
        .describe('The requests. Equal requests that wait share one id.'),
    }),
    errors: [400, 404],
  },
  'GET /api/knowledge/sync/requests/{id}': {
    right: 'administer',
    summary: 'Read a requested sync',
    description:
      'Says whether the request is waiting, running or done. Requests are kept for an hour after they are done.',
    answer: 'The request and, when it is done, the report.',
    output: RequestedSync,
    errors: [404],
  },
  'POST /api/knowledge/sync/cancel': {
    right: 'administer',
    summary: 'Cancel a sync',
    description: 'Cancels the running sync of a source and all requests that wait for it, whichever process runs them.',
    shownFields: ['source'],
    body: z.strictObject({ source: target }),
    example: { source: 'filesystem:notes' },
    status: 204,
    answer: 'The sync is stopping. Documents that are already indexed stay.',
    errors: [404],
  },
  'POST /api/knowledge/embed': {
    right: 'administer',
    summary: 'Embed new passages',
    shownFields: ['rebuild'],
    description: 'Replies at once; /api/events reports the progress.',
    body: z.strictObject({ rebuild: z.boolean().default(false) }),
    isBodyOptional: true,
    example: { rebuild: false },
    status: 202,
    answer: 'Embedding has started.',
    errors: [400],
  },
});
