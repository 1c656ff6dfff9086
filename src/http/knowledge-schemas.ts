import { z } from 'zod';
import { AgentArgument, KnowledgeQuery } from '../agents/agent.ts';
import { skipReasons } from '../knowledge/connector.ts';
import { sourceTypes } from '../knowledge/document.ts';
import { DocumentBody as KnowledgeDocumentBody } from '../knowledge/document-body.ts';
import type { SyncProgress, SyncReport } from '../knowledge/knowledge.ts';
import { SearchMode, SearchResult } from '../knowledge/search-request.ts';
import type * as Api from './api-types.ts';

/** The knowledge bodies of `api-types.ts` as schemas, and what its operations take. */

const Progress = z.object({
  source: z.string(),
  phase: z.enum(['queued', 'scanning', 'indexing', 'removing', 'merging', 'done']),
  seen: z.int(),
  toRead: z.int(),
  read: z.int(),
}) satisfies z.ZodType<SyncProgress>;

const Report = z.object({
  source: z.string(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  unchanged: z.int(),
  failed: z.array(z.object({ sourceId: z.string(), message: z.string() })),
  failedCount: z.int(),
  skipped: z
    .array(z.object({ reason: z.enum(skipReasons), files: z.int(), folders: z.int() }))
    .exactOptional()
    .describe('What is there and was left out on purpose. A folder counts once, whatever it holds.'),
  dropped: z
    .array(z.object({ reason: z.enum(skipReasons), documents: z.int() }))
    .exactOptional()
    .describe('Of the documents that were removed, those whose file is still there and is left out now.'),
  chunks: z.int(),
  dryRun: z.boolean(),
  durationMs: z.number(),
  error: z.string().exactOptional(),
}) satisfies z.ZodType<SyncReport>;

export const SourceBody = z.object({
  source: z.string(),
  type: z.enum(sourceTypes),
  name: z.string(),
  place: z.string(),
  origin: z.enum(['config', 'store', 'gone']),
  documents: z.int(),
  chunks: z.int(),
  state: z.enum(['never', 'syncing', 'ready', 'failed']),
  lastSyncedAt: z.iso.datetime().nullable(),
  message: z.string().nullable(),
  lastReport: Report.nullable(),
  progress: Progress.nullable(),
  requestedAt: z.iso.datetime().nullable().describe('A sync was asked for at this time and is not over yet.'),
});

export const KnowledgeBody = z.object({
  sources: z.array(SourceBody),
  documents: z.int(),
  chunks: z.int(),
  size: z.int(),
  embeddings: z.union([
    z.object({ provider: z.literal('disabled') }),
    z.object({ provider: z.string(), model: z.string(), dims: z.int(), embedded: z.int(), pending: z.int() }),
  ]),
}) satisfies z.ZodType<Api.KnowledgeBody>;

export const DocumentListBody = z.object({
  documents: z.array(KnowledgeDocumentBody),
  cursor: z.string().nullable(),
}) satisfies z.ZodType<Api.DocumentListBody>;

export const DocumentBody = z.object({
  document: KnowledgeDocumentBody,
  body: z.string(),
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
}) satisfies z.ZodType<Api.DocumentBody>;

export const ExplainBody = z.object({
  explanations: z.array(
    z.object({
      source: z.string(),
      path: z.string(),
      isTaken: z.boolean(),
      reason: z.enum(skipReasons).nullable(),
      message: z.string(),
    }),
  ),
}) satisfies z.ZodType<Api.ExplainBody>;

export const SearchBody = z.object({
  results: z.array(SearchResult),
  mode: SearchMode,
  durationMs: z.number(),
}) satisfies z.ZodType<Api.SearchBody>;

export const PrimeRequest = z.strictObject({
  arguments: z.array(AgentArgument).max(50).default([]),
  knowledge: z.array(KnowledgeQuery).max(20),
  values: z.record(z.string(), z.string().max(10_000)).default({}),
});

export const PrimeBody = z.object({
  primings: z.array(z.object({ query: KnowledgeQuery, words: z.string(), passages: z.array(SearchResult) })),
  text: z.string(),
}) satisfies z.ZodType<Api.PrimeBody>;

const target = z.string().min(1).max(300);
export const SyncRequest = z.strictObject({
  target: target.default('all').describe('`all`, a type, or one source such as `git:runbooks`.'),
  full: z.boolean().default(false).describe('Read everything again.'),
  allowEmpty: z
    .boolean()
    .default(false)
    .describe('Remove all documents of a source whose scan finds nothing. Otherwise they are kept.'),
});
export const CancelRequest = z.strictObject({ source: target });
export const EmbedRequest = z.strictObject({ rebuild: z.boolean().default(false) });
export const SyncStartedBody = z.object({
  sources: z.array(z.string()),
  queued: z.array(z.string()).describe('Those that wait for another sync of them to end.'),
}) satisfies z.ZodType<Api.SyncStartedBody>;

/** What a person may add while the hub runs; scripts are named in the config file alone. */
export const NewSource = z.strictObject({
  type: z.enum(['filesystem', 'git']),
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
      'must be 1–64 of a–z A–Z 0–9 _ . - and begin and end with a letter or digit',
    ),
  settings: z.record(z.string(), z.unknown()),
});
