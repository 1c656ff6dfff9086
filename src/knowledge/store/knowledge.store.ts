import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { onTopics } from '../../db/change-bus.ts';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import { findPassages, KnowledgeDocuments } from './documents.store.ts';
import type * as Port from './knowledge-store.ts';
import { findPostings, headerOf, listSegments, pageOfPostings } from './postings.store.ts';
import { publishSegment, removeDocuments, touchDocuments } from './publish-segment.store.ts';
import {
  discardOpenSegments,
  fillDocuments,
  fillPostings,
  reserveSegment,
  sweepDeadSegments,
} from './segments.store.ts';
import { StoredSources } from './sources.store.ts';
import { StoredSyncRequests } from './sync-requests.store.ts';
import type { SyncRequestStore } from './sync-requests.ts';
import { StoredVectors } from './vectors.store.ts';

export class StoredKnowledge implements Port.KnowledgeStore {
  readonly sources: Port.SourceStore;
  readonly requests: SyncRequestStore;
  readonly vectors: Port.VectorStore;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #documents: KnowledgeDocuments;

  constructor(options: { database: Database; clock: Clock; logger: Logger; leases: Leases }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.sources = new StoredSources(options);
    this.requests = new StoredSyncRequests(options);
    this.vectors = new StoredVectors(options.database);
    this.#documents = new KnowledgeDocuments(options.database);
  }

  revision(): number | undefined {
    return this.#database.changes.version('knowledge');
  }

  watch(onChange: () => void): () => void {
    return onTopics(this.#database.changes, ['knowledge'], onChange);
  }

  openSegment(documents: number): Promise<Port.OpenSegment> {
    return reserveSegment(this.#database, { documents, openedAt: this.#clock.now() });
  }

  addDocuments(segment: number, documents: readonly Port.NewDocument[]): Promise<void> {
    return fillDocuments(this.#database, segment, documents);
  }

  addPostings(segment: number, postings: readonly Port.Postings[]): Promise<void> {
    return fillPostings(this.#database, segment, postings);
  }

  async publish(publication: Port.Publication): Promise<void> {
    const indexedAt = this.#clock.now();
    await this.#database.write((write) => publishSegment(write, publication, indexedAt), { isJob: true });
    if (publication.replaces) await this.#sweep();
  }

  discardOpenSegments(olderThan: number): Promise<number> {
    return discardOpenSegments(this.#database, olderThan);
  }

  removeDocuments(ids: readonly string[]): Promise<void> {
    return this.#database.write((write) => removeDocuments(write, ids), { isJob: true });
  }

  touchDocuments(touched: Parameters<Port.KnowledgeStore['touchDocuments']>[0]): Promise<void> {
    return this.#database.write((write) => touchDocuments(write, touched), { isJob: true });
  }

  segments(): Promise<Port.SegmentList> {
    return listSegments(this.#database);
  }

  segmentHeader(segment: number): Promise<Uint8Array | undefined> {
    return headerOf(this.#database, segment);
  }

  postings(segments: readonly number[], terms: readonly string[]): Promise<Port.FoundPostings> {
    return findPostings(this.#database, segments, terms);
  }

  postingsPage(segments: readonly number[], after: string | null, terms: number): Promise<Port.SegmentPostings[]> {
    return pageOfPostings(this.#database, { segments, after, terms });
  }

  items(source: string): Promise<Map<string, Port.KnownItem>> {
    return this.#documents.items(source);
  }

  document(id: string): ReturnType<Port.KnowledgeStore['document']> {
    return this.#documents.document(id);
  }

  body(id: string): Promise<string | undefined> {
    return this.#documents.body(id);
  }

  documents(query: Port.DocumentQuery): ReturnType<Port.KnowledgeStore['documents']> {
    return this.#documents.page(query);
  }

  chunks(id: string): ReturnType<Port.KnowledgeStore['chunks']> {
    return this.#documents.chunks(id);
  }

  passages(keys: readonly Port.ChunkKey[]): Promise<Port.StoredPassage[]> {
    return findPassages(this.#database, keys);
  }

  stats(): Promise<Port.KnowledgeStats> {
    return this.#documents.stats();
  }

  /** Never throws: the segment is already published, and the next sweep deletes leftover rows. */
  async #sweep(): Promise<void> {
    try {
      await sweepDeadSegments(this.#database);
    } catch (error) {
      this.#logger.warn({ err: error }, 'replaced index segments could not be deleted yet');
    }
  }
}
