import type { Lease } from '../../base/lease.ts';
import type { Chunk, KnowledgeDocument, PreparedDocument, SourceType } from '../document.ts';
import type { SyncProgress, SyncReport } from '../sync/sync-report.ts';

/**
 * The knowledge base on disk. Documents come in batches, each an index segment: its rows are written in small
 * transactions that nobody sees, then `publish` shows all of it at once. A killed process leaves an open segment,
 * which the next one discards. Every version of a document has a number of its own (`docNo`), so a segment never
 * changes: a replaced or removed document is a number in the set `removed` until a merge leaves it out.
 * Each method: TRANSIENT_ERROR, UNAVAILABLE.
 */
export interface KnowledgeStore {
  /** Grows with every change that a reader could see; undefined when it must be read. */
  revision(): number | undefined;
  /** After a change by this process, and soon after one by another. */
  watch(onChange: () => void): () => void;

  readonly sources: SourceStore;
  readonly vectors: VectorStore;

  /** A segment nobody sees yet, with numbers for so many documents, `firstDocNo` and up. */
  openSegment(documents: number): Promise<OpenSegment>;
  /** Text and chunks; `docNo` within the segment's numbers. */
  addDocuments(segment: number, documents: readonly NewDocument[]): Promise<void>;
  /** Terms in ascending byte order, over all calls for one segment; `data` is opaque here. */
  addPostings(segment: number, postings: readonly Postings[]): Promise<void>;
  /** Everything at once: see `Publication`. Deletes what it replaces. CONFLICT when a replaced segment is gone. */
  publish(publication: Publication): Promise<void>;
  /** Deletes segments that were left open before `olderThan` and all their rows. Returns how many. */
  discardOpenSegments(olderThan: number): Promise<number>;
  /** Removes documents, with no segment of their own. */
  removeDocuments(ids: readonly string[]): Promise<void>;
  /** The content is the same: only these fields are set. */
  touchDocuments(touched: readonly { id: string; version: string; updatedAt: number }[]): Promise<void>;

  /** What is visible now. */
  segments(): Promise<SegmentList>;
  segmentHeader(segment: number): Promise<Uint8Array | undefined>;
  /** Of the segments asked for, in one look with the revision it belongs to. */
  postings(segments: readonly number[], terms: readonly string[]): Promise<FoundPostings>;
  /** For a merge: the rows of some segments in order of term, after one term, of at most `terms` different terms. */
  postingsPage(segments: readonly number[], after: string | null, terms: number): Promise<SegmentPostings[]>;

  /** What is known of every item of a source, by `sourceId`. */
  items(source: string): Promise<Map<string, KnownItem>>;
  document(id: string): Promise<KnowledgeDocument | undefined>;
  /** The text of a document. */
  body(id: string): Promise<string | undefined>;
  /** Documents in the order of source and `sourceId`. */
  documents(query: DocumentQuery): Promise<{ documents: KnowledgeDocument[]; cursor: string | null }>;
  chunks(id: string): Promise<Chunk[]>;
  /** The passages in the order asked for; one whose document is no longer there is left out. */
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
  /** Numbers of documents that are in a segment but no longer there. */
  removed: number[];
  /** Documents that were touched after their segment was written: a filter by time goes by this `updatedAt`. */
  touched?: { docNo: number; updatedAt: number }[];
}

export interface Publication {
  segment: number;
  /** Opaque here. */
  header: Uint8Array;
  chunks: number;
  /** New documents and new versions of known ones; a known one's last version is removed with its rows. */
  documents: readonly PublishedDocument[];
  /** Documents that vanish in the same moment. */
  removedIds?: readonly string[];
  /** After a merge: the segments it stands for, and the removed numbers it left out. */
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
  /** Words that title or `sourceId` contain, ignoring case. */
  text?: string;
  limit: number;
  cursor?: string;
}

export interface KnowledgeStats {
  documents: number;
  chunks: number;
  /** Characters of all texts. */
  size: number;
  segments: number;
  /** By source. */
  sources: { source: string; documents: number; chunks: number; updatedAt: number | null }[];
}

/** Sources made in the web app, and the state of every source wherever it is configured. */
export interface SourceStore {
  /** Made in the web app or over HTTP. */
  list(): Promise<StoredSource[]>;
  /** CONFLICT when the label is taken by another stored source. */
  add(source: StoredSource): Promise<void>;
  /** NOT_FOUND. Its documents are another matter. */
  remove(source: string): Promise<void>;
  states(): Promise<SourceState[]>;
  /** One sync of a source at a time, in all processes. CONFLICT, with who has it since when. */
  take(source: string): Promise<Lease>;
  /** Asks for a sync, by whichever process. Returns the moment of the request; a sync that began before it does not answer it. */
  request(source: string, request: SyncRequest): Promise<number>;
  /** A sync that began after this moment is over. A later request stays. */
  clearRequest(source: string, upTo: number): Promise<void>;
  /** How a sync goes or went. */
  saveState(source: string, state: Omit<SourceState, 'source' | 'request' | 'isSyncing'>): Promise<void>;
  /** Forgets a source that is configured nowhere any more. */
  forget(source: string): Promise<void>;
}

export interface StoredSource {
  /** `type:name`. */
  source: string;
  type: SourceType;
  name: string;
  /** As in config. */
  settings: Record<string, unknown>;
  createdAt: number;
}

/**
 * How a requested sync is to be done. That a source may be emptied is not kept: it holds for the sync of whoever said so,
 * and must not be found by another one later.
 */
export interface SyncRequest {
  full: boolean;
}

export interface SourceState {
  source: string;
  /** A sync that may still write has it. */
  isSyncing: boolean;
  startedAt: number | null;
  finishedAt: number | null;
  /** Of the last finished sync. */
  outcome: 'complete' | 'failed' | 'cancelled' | null;
  /** What went wrong, for people. */
  message: string | null;
  /** Of the last sync; while one runs, its progress. */
  report: SyncReport | SyncProgress | null;
  /** A sync that was asked for and is not done yet. */
  request: (SyncRequest & { at: number }) | null;
}

/** Vectors by the hash of what was embedded, so that a moved or repeated text is embedded once. */
export interface VectorStore {
  /** Chunks of visible documents with no vector of this model. */
  pending(model: string, limit: number): Promise<{ hash: string; title: string; heading: string[]; text: string }[]>;
  countPending(model: string): Promise<number>;
  save(model: string, vectors: readonly { hash: string; vector: Float32Array }[]): Promise<void>;
  /** The numbers of all visible documents, and how many chunks each has. */
  documents(): Promise<Map<number, number>>;
  /** Every visible chunk that has a vector, of these documents or of all, in pages of some hundred. */
  all(model: string, docNos?: readonly number[]): AsyncIterable<(ChunkKey & { vector: Float32Array })[]>;
  count(model: string): Promise<number>;
  /** Grows when vectors are saved or deleted. */
  revision(model: string): Promise<number>;
  /** Of every model but this one, or of all. Returns how many. */
  clear(options: { except?: string }): Promise<number>;
  /** Vectors whose text is nowhere any more. */
  prune(): Promise<number>;
}
