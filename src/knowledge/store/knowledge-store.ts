import type { Lease } from '../../base/lease.ts';
import type { Chunk, KnowledgeDocument, PreparedDocument, SourceType } from '../document.ts';
import type { SimilarChunk } from '../embedder.ts';
import type { SyncProgress, SyncReport } from '../sync/sync-report.ts';
import type { SyncRequest, SyncRequestStore } from './sync-requests.ts';

/**
 * The knowledge base on disk. Documents arrive in batches, and each batch becomes an index segment. Its rows are written in
 * small transactions and stay invisible until `publish` shows them all at once. A killed process leaves an open segment,
 * which a later sync discards. Every version of a document has its own number (`docNo`), so a segment never changes: the
 * numbers of replaced and removed documents stay in `removed` until a merge drops them.
 * Every method may throw TRANSIENT_ERROR and UNAVAILABLE.
 */
export interface KnowledgeStore {
  /** Returns a counter that grows with every visible change; undefined when it must be read from the database. */
  revision(): number | undefined;
  /** Calls back after a change by this process, and shortly after one by another. Returns a function that stops it. */
  watch(onChange: () => void): () => void;

  readonly sources: SourceStore;
  readonly requests: SyncRequestStore;
  readonly vectors: VectorStore;

  /** Opens an invisible segment and reserves this many document numbers, from `firstDocNo`. */
  openSegment(documents: number): Promise<OpenSegment>;
  /** Adds texts and chunks. Each `docNo` must be one of the segment's numbers. */
  addDocuments(segment: number, documents: readonly NewDocument[]): Promise<void>;
  /** Adds postings. Terms must come in ascending byte order over all calls for a segment. `data` is opaque. */
  addPostings(segment: number, postings: readonly Postings[]): Promise<void>;
  /** Publishes a segment at once and deletes what it replaces. Throws CONFLICT when a replaced segment is gone. */
  publish(publication: Publication): Promise<void>;
  /** Deletes segments that were opened before `olderThan` and never published. Returns how many. */
  discardOpenSegments(olderThan: number): Promise<number>;
  /** Removes documents without opening a segment. */
  removeDocuments(ids: readonly string[]): Promise<void>;
  /** Updates these fields of documents whose content is unchanged. */
  touchDocuments(touched: readonly { id: string; version: string; updatedAt: number }[]): Promise<void>;

  /** Returns the visible segments. */
  segments(): Promise<SegmentList>;
  segmentHeader(segment: number): Promise<Uint8Array | undefined>;
  /** Returns the postings of these segments, together with the revision they belong to. */
  postings(segments: readonly number[], terms: readonly string[]): Promise<FoundPostings>;
  /** For a merge: returns the rows of the next `terms` terms after a term, sorted by term. */
  postingsPage(segments: readonly number[], after: string | null, terms: number): Promise<SegmentPostings[]>;

  /** Returns all known items of a source, by `sourceId`. */
  items(source: string): Promise<Map<string, KnownItem>>;
  document(id: string): Promise<KnowledgeDocument | undefined>;
  /** Returns the text of a document. */
  body(id: string): Promise<string | undefined>;
  /** Returns a page of documents, sorted by source and `sourceId`. */
  documents(query: DocumentQuery): Promise<{ documents: KnowledgeDocument[]; cursor: string | null }>;
  chunks(id: string): Promise<Chunk[]>;
  /** Returns passages in the order of the keys. Leaves out passages of removed documents. */
  passages(keys: readonly ChunkKey[]): Promise<StoredPassage[]>;
  stats(): Promise<KnowledgeStats>;
}

export interface OpenSegment {
  segment: number;
  firstDocNo: number;
}

export interface ChunkKey {
  docNo: number;
  ordinal: number;
}

export interface NewDocument {
  docNo: number;
  body: string;
  chunks: readonly (Chunk & { hash: string })[];
}

export interface Postings {
  term: string;
  data: Uint8Array;
}

export interface SegmentPostings extends Postings {
  segment: number;
}

export interface FoundPostings {
  revision: number;
  rows: SegmentPostings[];
}

export interface SegmentList {
  revision: number;
  /** Ascending. */
  segments: { id: number; chunks: number }[];
  /** The numbers of removed documents that are still in a segment. */
  removed: number[];
  /** Documents whose `updatedAt` is newer than in their segment. Filters by time use this one. */
  touched?: { docNo: number; updatedAt: number }[];
}

export interface Publication {
  segment: number;
  /** Opaque to the store. */
  header: Uint8Array;
  chunks: number;
  /** New documents and new versions of known ones. Previous versions are removed. */
  documents: readonly PublishedDocument[];
  /** Documents to remove in the same transaction. */
  removedIds?: readonly string[];
  /** After a merge: the merged segments, and the removed numbers that it dropped. */
  replaces?: { segments: readonly number[]; droppedDocNos: readonly number[] };
}

export interface PublishedDocument extends Omit<PreparedDocument, 'body' | 'chunks'> {
  docNo: number;
  id: string;
  source: string;
  sourceId: string;
  url: string | null;
  hash: string;
  version: string;
  updatedAt: number;
  chunks: number;
  size: number;
}

export interface KnownItem {
  id: string;
  version: string;
  hash: string;
}

export interface StoredPassage extends Chunk, ChunkKey {
  document: KnowledgeDocument;
}

export interface DocumentQuery {
  source?: string;
  /** Words that must occur in title or `sourceId`, ignoring case. */
  text?: string;
  limit: number;
  cursor?: string;
}

export interface KnowledgeStats {
  documents: number;
  chunks: number;
  /** The length of all texts in characters. */
  size: number;
  segments: number;
  /** By source. */
  sources: { source: string; documents: number; chunks: number; updatedAt: number | null }[];
}

/** Sources added in the web app, and the sync state of all sources. */
export interface SourceStore {
  /** Returns the sources added in the web app or over HTTP. */
  list(): Promise<StoredSource[]>;
  /** Throws CONFLICT when a stored source has this label. */
  add(source: StoredSource): Promise<void>;
  /** Removes a source but not its documents. Throws NOT_FOUND. */
  remove(source: string): Promise<void>;
  states(): Promise<SourceState[]>;
  /** Takes the lease that allows one sync per source across all processes. Throws CONFLICT, naming the holder. */
  take(source: string): Promise<Lease>;
  /** Saves the progress or outcome of a sync. */
  saveState(source: string, state: Omit<SourceState, 'source' | 'request' | 'isSyncing'>): Promise<void>;
  /** Deletes the state of a source that is no longer configured. */
  forget(source: string): Promise<void>;
}

export interface StoredSource {
  /** `type:name`. */
  source: string;
  /** A source written in code is never stored. */
  type: Exclude<SourceType, 'custom'>;
  name: string;
  /** The same settings as in the config file. */
  settings: Record<string, unknown>;
  createdAt: number;
}

export interface SourceState {
  source: string;
  /** Whether a sync holds the lease. */
  isSyncing: boolean;
  startedAt: number | null;
  finishedAt: number | null;
  /** Of the last finished sync. */
  outcome: 'complete' | 'failed' | 'cancelled' | null;
  /** Why the last sync failed, for users. */
  message: string | null;
  /** The report of the last sync, or the progress of the current one. */
  report: SyncReport | SyncProgress | null;
  /** The first of the requested syncs that have not begun; `full` if one of them is. */
  request: (SyncRequest & { at: number }) | null;
}

/** Vectors by the hash of the embedded text, so that a moved or repeated text is embedded once. */
export interface VectorStore {
  /** Returns chunks of visible documents that have no vector of this model. */
  pending(model: string, limit: number): Promise<{ hash: string; title: string; heading: string[]; text: string }[]>;
  countPending(model: string): Promise<number>;
  save(model: string, vectors: readonly { hash: string; vector: Float32Array }[]): Promise<void>;
  /** Returns the number of chunks of each visible document, by `docNo`. */
  documents(): Promise<Map<number, number>>;
  /** Yields all visible chunks with vectors, of these documents or of all, in pages of a few hundred. */
  all(model: string, docNos?: readonly number[]): AsyncIterable<(ChunkKey & { vector: Float32Array })[]>;
  count(model: string): Promise<number>;
  /** Returns a counter that grows when vectors are saved or deleted. */
  revision(model: string): Promise<number>;
  /** Deletes the vectors of all models except this one. Returns how many. */
  clear(options: { except?: string }): Promise<number>;
  /** Deletes vectors whose text no longer exists. Returns how many. */
  prune(): Promise<number>;
  /** Absent if this kind of database cannot compare vectors. */
  readonly near?: NearVectors | undefined;
}

/** Compares the stored vectors inside the database, so that no process has to hold them in memory. */
export interface NearVectors {
  /** Creates what the comparison needs, once per database. Returns a sentence that says why that is impossible, if it is. */
  prepare(): Promise<string | undefined>;
  /** Makes some stored vectors comparable that are not yet. Returns how many; 0 if none is left. */
  fill(model: string): Promise<number>;
  /** Returns the lengths of the comparable vectors, ascending; usually one. */
  dims(model: string): Promise<number[]>;
  /** Returns the chunks of visible documents with the largest dot products, best first. Ties are sorted by document and chunk. */
  nearest(query: NearQuery): Promise<SimilarChunk[]>;
}

export interface NearQuery {
  model: string;
  vector: Float32Array;
  limit: number;
  /** Compares only these documents. */
  only?: ReadonlySet<number> | undefined;
}
