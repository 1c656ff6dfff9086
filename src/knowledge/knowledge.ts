import { z } from 'zod';
import type { EventChannel } from '../base/events.ts';
import { FileExplanation } from './connector.ts';
import { type Chunk, type KnowledgeDocument, sourceTypes } from './document.ts';
import type { CheckedSearch, SearchMode, SearchRequest, SearchResult } from './search/search-request.ts';
import type { DocumentQuery, KnowledgeStats, StoredSource } from './store/knowledge-store.ts';
import { SyncProgress, SyncReport } from './sync/sync-report.ts';

/** What agents, scripts and tools may ask of the knowledge base. */
export interface KnowledgeReader {
  /** Best first. Throws INVALID_ARGUMENTS, also for `semantic` where no embeddings are set up. */
  search(request: SearchRequest, options?: { signal?: AbortSignal | undefined }): Promise<SearchResult[]>;
  /** A document with its whole text. Throws NOT_FOUND. */
  get(id: string): Promise<KnowledgeDocument & { body: string }>;
  sources(): Promise<SourceInfo[]>;
}

/** The knowledge base of a hub. */
export interface Knowledge extends KnowledgeReader {
  /** As `search`, for a request that was checked before; with the mode that was used. */
  find(
    request: CheckedSearch,
    options?: { signal?: AbortSignal },
  ): Promise<{ results: SearchResult[]; mode: SearchMode }>;
  documents(query: DocumentQuery): Promise<{ documents: KnowledgeDocument[]; cursor: string | null }>;
  /** Throws NOT_FOUND. */
  chunks(id: string): Promise<Chunk[]>;
  stats(): Promise<KnowledgeStats & { embeddings: EmbeddingState }>;

  /** Brings sources up to date, one after the other, and each after another sync of it; one that fails says so in its report. Throws NOT_FOUND for an unknown target. */
  sync(options: SyncOptions): Promise<SyncReport[]>;
  /**
   * Starts a sync and returns the sources it will walk through, and those of them that wait for another sync to end. The
   * request is kept until it is answered, whatever happens to this process. Throws as `sync` does at its start.
   */
  startSync(
    options: Pick<SyncOptions, 'target' | 'full' | 'allowEmpty'>,
  ): Promise<{ sources: string[]; queued: string[] }>;
  /** Answers requests that other processes left behind, until it is closed. */
  answerRequests(): { close(): Promise<void> };
  /** Why a file is read or left out, for every folder and repository of the target that has it. Throws NOT_FOUND. */
  explain(path: string, options?: { target?: string; signal?: AbortSignal }): Promise<SourceExplanation[]>;
  /** Ends the sync of this source, when this process runs one. */
  cancelSync(source: string): boolean;
  /** Keeps folders up to date until it is closed. */
  watch(): { close(): Promise<void> };
  /** A folder or repository from the web app. Throws CONFLICT, INVALID_ARGUMENTS. */
  addSource(source: Omit<StoredSource, 'source' | 'createdAt'>): Promise<SourceInfo>;
  /** Also removes its documents. Throws NOT_FOUND, PERMISSION_DENIED for one that a config file names. */
  removeSource(source: string): Promise<void>;

  /** Embeds what has no vector yet; with `rebuild` everything anew. Throws INVALID_ARGUMENTS where none are set up. */
  embed(options: {
    rebuild?: boolean;
    signal?: AbortSignal;
    onProgress?: (progress: EmbedProgress) => void;
  }): Promise<EmbedProgress>;

  /** The same in the background; `events` tell how it goes. Throws INVALID_ARGUMENTS where none are set up. */
  startEmbedding(options: { rebuild?: boolean }): void;

  readonly events: EventChannel<KnowledgeEvent>;
  close(): Promise<void>;
}

const moment = z.iso.datetime().nullable();

export const SourceInfo = z.object({
  /** `type:name`. */
  source: z.string(),
  type: z.enum(sourceTypes),
  name: z.string(),
  /** The folder, the address, the script. */
  place: z.string(),
  /** "config" cannot be changed here; "gone": documents of a source that is configured no more. */
  origin: z.enum(['config', 'store', 'gone']),
  documents: z.int(),
  chunks: z.int(),
  state: z.enum(['never', 'syncing', 'ready', 'failed']),
  lastSyncedAt: moment,
  /** Why it failed, or what a person should know. */
  message: z.string().nullable(),
  lastReport: SyncReport.nullable(),
  progress: SyncProgress.nullable(),
  requestedAt: moment.describe('When the unfinished sync was requested.'),
});
export type SourceInfo = z.infer<typeof SourceInfo>;

export const SourceExplanation = FileExplanation.extend({ source: z.string() });
export type SourceExplanation = z.infer<typeof SourceExplanation>;

export interface SyncOptions {
  /** `all`, a type or `type:name`. */
  target: string;
  /** Read every item again, whatever its version says. */
  full?: boolean;
  /** Say what would happen and change nothing. */
  dryRun?: boolean;
  /** Believe a scan that finds nothing where there was something; otherwise nothing is removed. */
  allowEmpty?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: SyncProgress) => void;
}

export interface EmbedProgress {
  embedded: number;
  pending: number;
}

export const EmbeddingState = z.union([
  z.object({ provider: z.literal('disabled') }),
  z.object({ provider: z.string(), model: z.string(), dims: z.int(), embedded: z.int(), pending: z.int() }),
]);
export type EmbeddingState = z.infer<typeof EmbeddingState>;

export type KnowledgeEvent =
  | { type: 'changed' }
  | { type: 'sources' }
  | { type: 'progress'; progress: SyncProgress }
  | { type: 'synced'; report: SyncReport }
  | { type: 'embedding'; progress: EmbedProgress; done: boolean; message?: string };
