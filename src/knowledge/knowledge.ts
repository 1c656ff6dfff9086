import type { EventChannel } from '../base/events.ts';
import type { Chunk, KnowledgeDocument, SourceType } from './document.ts';
import type { DocumentQuery, KnowledgeStats, StoredSource } from './knowledge-store.ts';
import type { SearchRequest, SearchResult } from './search-request.ts';

/** What agents, scripts and tools may ask of the knowledge base. */
export interface KnowledgeReader {
  /** Best first. Throws EMBEDDINGS_DISABLED for `semantic` where none are set up, INVALID_ARGUMENTS. */
  search(request: SearchRequest, options?: { signal?: AbortSignal | undefined }): Promise<SearchResult[]>;
  /** A document with its whole text. Throws NOT_FOUND. */
  get(id: string): Promise<KnowledgeDocument & { body: string }>;
  sources(): Promise<SourceInfo[]>;
}

/** The knowledge base of a hub. */
export interface Knowledge extends KnowledgeReader {
  documents(query: DocumentQuery): Promise<{ documents: KnowledgeDocument[]; cursor: string | null }>;
  /** Throws NOT_FOUND. */
  chunks(id: string): Promise<Chunk[]>;
  stats(): Promise<KnowledgeStats & { embeddings: EmbeddingState }>;

  /** Brings sources up to date, one after the other. Throws NOT_FOUND for an unknown target, CONFLICT when one is being synced. */
  sync(options: SyncOptions): Promise<SyncReport[]>;
  /** A folder or repository from the web app. Throws CONFLICT, INVALID_ARGUMENTS. */
  addSource(source: Omit<StoredSource, 'source' | 'createdAt'>): Promise<SourceInfo>;
  /** Also removes its documents. Throws NOT_FOUND, PERMISSION_DENIED for one that a config file names. */
  removeSource(source: string): Promise<void>;

  /** Embeds what has no vector yet; with `rebuild` everything anew. Throws EMBEDDINGS_DISABLED. */
  embed(options: {
    rebuild?: boolean;
    signal?: AbortSignal;
    onProgress?: (progress: EmbedProgress) => void;
  }): Promise<EmbedProgress>;

  readonly events: EventChannel<KnowledgeEvent>;
  close(): Promise<void>;
}

export interface SourceInfo {
  /** `type:name`. */
  source: string;
  type: SourceType;
  name: string;
  /** The folder, the address, the script. */
  place: string;
  /** "config" cannot be changed here; "gone": documents of a source that is configured no more. */
  origin: 'config' | 'store' | 'gone';
  documents: number;
  chunks: number;
  state: 'never' | 'syncing' | 'ready' | 'failed';
  /** ISO 8601. */
  lastSyncedAt: string | null;
  /** Why it failed, or what a person should know. */
  message: string | null;
  lastReport: SyncReport | null;
  progress: SyncProgress | null;
}

export interface SyncOptions {
  /** `all`, a type or `type:name`. */
  target: string;
  /** Read every item again, whatever its version says. */
  full?: boolean;
  /** Say what would happen and change nothing. */
  dryRun?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: SyncProgress) => void;
}

export interface SyncProgress {
  source: string;
  phase: 'scanning' | 'indexing' | 'removing' | 'merging' | 'done';
  /** Items seen so far, and of them those that must be read. */
  seen: number;
  toRead: number;
  read: number;
}

export interface SyncReport {
  source: string;
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  failed: { sourceId: string; message: string }[];
  failedCount: number;
  /** Chunks written. */
  chunks: number;
  dryRun: boolean;
  durationMs: number;
}

export interface EmbedProgress {
  embedded: number;
  pending: number;
}

export type EmbeddingState =
  | { provider: 'disabled' }
  | { provider: string; model: string; dims: number; embedded: number; pending: number };

export type KnowledgeEvent =
  | { type: 'changed' }
  | { type: 'sources' }
  | { type: 'progress'; progress: SyncProgress }
  | { type: 'synced'; report: SyncReport }
  | { type: 'failed'; source: string; message: string };
