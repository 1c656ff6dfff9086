import { z } from 'zod';
import type { EventChannel } from '../base/events.ts';
import { FileExplanation } from './connector.ts';
import { type Chunk, type KnowledgeDocument, sourceTypes } from './document.ts';
import type { CheckedSearch, SearchMode, SearchRequest, SearchResult } from './search/search-request.ts';
import type { DocumentQuery, KnowledgeStats, StoredSource } from './store/knowledge-store.ts';
import type { RequestedSync } from './store/sync-requests.ts';
import { SyncProgress, SyncReport } from './sync/sync-report.ts';

/** Read access to the knowledge base, for agents, scripts and tools. */
export interface KnowledgeReader {
  /** Returns results best first. Throws INVALID_ARGUMENTS, and EMBEDDINGS_DISABLED for `semantic` without embeddings. */
  search(request: SearchRequest, options?: { signal?: AbortSignal | undefined }): Promise<SearchResult[]>;
  /** Returns a document with its whole text. Throws NOT_FOUND. */
  get(id: string): Promise<KnowledgeDocument & { body: string }>;
  /** Returns the passages of a document, in order. Absent in a reader that has only whole documents. Throws NOT_FOUND. */
  chunks?(id: string): Promise<Chunk[]>;
  sources(): Promise<SourceInfo[]>;
}

/** The knowledge base of a hub. */
export interface Knowledge extends KnowledgeReader {
  /** Like `search`, for a parsed request. Also returns the mode that was used. */
  find(
    request: CheckedSearch,
    options?: { signal?: AbortSignal },
  ): Promise<{ results: SearchResult[]; mode: SearchMode }>;
  documents(query: DocumentQuery): Promise<{ documents: KnowledgeDocument[]; cursor: string | null }>;
  chunks(id: string): Promise<Chunk[]>;
  stats(): Promise<KnowledgeStats & { embeddings: EmbeddingState }>;

  /** Syncs the target's sources one after another, waiting for syncs that are already running. A source that fails reports it in `error`. Throws NOT_FOUND for an unknown target. */
  sync(options: SyncOptions): Promise<SyncReport[]>;
  /**
   * Starts a sync in the background. Returns the sources, and those among them that wait for a running sync. The request
   * is stored until a sync fulfils it, even if this process dies. Throws NOT_FOUND for an unknown target.
   */
  startSync(
    options: Pick<SyncOptions, 'target' | 'full' | 'allowEmpty'>,
  ): Promise<{ sources: string[]; queued: string[]; requests: { source: string; id: string }[] }>;
  /** Returns a sync that `startSync` requested, until an hour after its end. Throws NOT_FOUND. */
  request(id: string): Promise<RequestedSync>;
  /** Runs syncs that other processes requested and left behind, until closed. */
  answerRequests(): { close(): Promise<void> };
  /** Explains why a file is indexed or skipped, for each folder and repository of the target that contains it. Throws NOT_FOUND. */
  explain(path: string, options?: { target?: string; signal?: AbortSignal }): Promise<SourceExplanation[]>;
  /** Cancels the sync of a source and those that wait for it, in whichever process. Returns false if there are none. */
  cancelSync(source: string): Promise<boolean>;
  /** Syncs sources whenever they change, until closed. */
  watch(): { close(): Promise<void> };
  /** Adds a folder or repository. Throws CONFLICT, INVALID_ARGUMENTS. */
  addSource(source: Omit<StoredSource, 'source' | 'createdAt'>): Promise<SourceInfo>;
  /** Removes a source and its documents. Throws NOT_FOUND, or PERMISSION_DENIED for a source from the config file. */
  removeSource(source: string): Promise<void>;

  /** Embeds passages that have no vector yet, or with `rebuild` all passages. Throws EMBEDDINGS_DISABLED. */
  embed(options: {
    rebuild?: boolean;
    /** Embeds at most this many passages. */
    limit?: number;
    /** Passages per request, instead of the configured number. */
    batchSize?: number;
    /** Only counts the passages. */
    dryRun?: boolean;
    signal?: AbortSignal;
    onProgress?: (progress: EmbedProgress) => void;
  }): Promise<EmbedProgress>;

  /** Like `embed`, in the background. `events` report the progress. Throws EMBEDDINGS_DISABLED. */
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
  /** The folder, URL or script. */
  place: z.string(),
  /** "config" cannot be changed here. "gone" has documents but is no longer configured. */
  origin: z.enum(['config', 'store', 'gone']),
  documents: z.int(),
  chunks: z.int(),
  state: z.enum(['never', 'syncing', 'ready', 'failed']),
  lastSyncedAt: moment,
  /** Why the last sync failed, or another note for the user. */
  message: z.string().nullable(),
  lastReport: SyncReport.nullable(),
  progress: SyncProgress.nullable(),
  requestedAt: moment.describe('When the first sync that waits was requested.'),
});
export type SourceInfo = z.infer<typeof SourceInfo>;

/** Returns a source as Context Harness describes one to tools and scripts. */
export function sourceStatus({ source, origin, state, message, place }: SourceInfo) {
  const configured = origin !== 'gone';
  return { name: source, configured, healthy: configured && state !== 'failed', notes: message ?? (place || null) };
}

export const SourceExplanation = FileExplanation.extend({ source: z.string() });
export type SourceExplanation = z.infer<typeof SourceExplanation>;

export interface SyncOptions {
  /** `all`, a type or `type:name`. */
  target: string;
  /** Reads every item again, even if its version is unchanged. */
  full?: boolean;
  /** Reports what would change, without changing anything. */
  dryRun?: boolean;
  /** Removes all documents when the scan finds nothing. Without it, such a scan removes none. */
  allowEmpty?: boolean;
  /** Reads only items changed at or after this time, in milliseconds. Others stay as they are. */
  since?: number;
  /** Reads only items changed at or before this time, in milliseconds. */
  until?: number;
  /** Reads at most this many new and changed items of each source. */
  limit?: number;
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
