import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { ScannedItem } from '../connector.ts';
import type { BuiltSegment, IndexSession } from '../index/indexer.ts';
import type { ChunkLimits, IndexItem, PreparedItem } from '../index/indexer-job.ts';
import { IndexThreadFailure } from '../index/indexer-thread.ts';
import type { KnowledgeStore, KnownItem, OpenSegment, PublishedDocument } from '../store/knowledge-store.ts';
import type { SyncTally } from './sync-tally.ts';

export interface WriteParts {
  store: KnowledgeStore;
  session: IndexSession;
  tally: SyncTally;
  logger: Logger;
  chunking: ChunkLimits;
  source: string;
  dryRun: boolean;
  signal: AbortSignal;
}

interface Written {
  batch: readonly ReadItem[];
  results: readonly PreparedItem[];
  open: OpenSegment;
  built: BuiltSegment;
}

const touchAtOnce = 200;

/**
 * Turns contents into published documents. While one batch is written to the database, the thread prepares the next.
 * A batch that crashes the thread is retried in halves until the culprit is alone and can be reported.
 */
export class BatchWriter {
  readonly #parts: WriteParts;
  #writing: Promise<void> = Promise.resolve();
  /** True if a segment was opened that will never be published. */
  hasLeftOpen = false;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  async add(batch: readonly ReadItem[]): Promise<void> {
    try {
      await this.#index(batch);
    } catch (error) {
      if (!(error instanceof IndexThreadFailure)) throw error;
      await this.#retry(batch, error);
    }
  }

  /** Resolves when everything added so far is published. */
  async settle(): Promise<void> {
    await this.#writing;
  }

  async #index(batch: readonly ReadItem[]): Promise<void> {
    const { session, store, chunking, dryRun, signal, source } = this.#parts;
    const items = batch.map(toIndexItem);
    const results = await session.prepare(items, chunking, signal);
    const ready = results.filter((result) => result.kind === 'ready').length;
    if (dryRun || ready === 0) {
      await this.#writing;
      await this.#conclude(batch, results);
      return;
    }
    const open = await store.openSegment(ready);
    let built: BuiltSegment;
    try {
      built = await session.build({ source, firstDocNo: open.firstDocNo }, signal);
    } catch (error) {
      this.hasLeftOpen = true;
      throw error;
    }
    await this.#writing;
    const writing = this.#write({ batch, results, open, built });
    // Awaited before the next batch is written.
    writing.catch(() => {});
    this.#writing = writing;
  }

  async #write({ batch, results, open, built }: Written): Promise<void> {
    const { store, tally, signal } = this.#parts;
    try {
      for (const rows of built.rows()) {
        signal.throwIfAborted();
        if ('documents' in rows) await store.addDocuments(open.segment, rows.documents);
        else await store.addPostings(open.segment, rows.postings);
        await nextTurn();
      }
      const documents = toPublished(batch, results, { ...open, source: this.#parts.source });
      await store.publish({ segment: open.segment, header: built.header, chunks: built.chunks, documents });
    } catch (error) {
      this.hasLeftOpen = true;
      throw error;
    }
    tally.report.chunks += built.chunks;
    await this.#conclude(batch, results);
  }

  /** Counts the results. Unchanged content with a new version only gets the new version. */
  async #conclude(batch: readonly ReadItem[], results: readonly PreparedItem[]): Promise<void> {
    const { tally, logger, store, dryRun, source } = this.#parts;
    const { report } = tally;
    const touched: { id: string; version: string; updatedAt: number }[] = [];
    for (const [index, { item, before, version }] of batch.entries()) {
      const result = results[index];
      if (result?.kind === 'failed') {
        tally.fail(item.sourceId, result.message);
        const { sourceId } = item;
        if (result.unexpected) logger.error({ source, sourceId, error: result.unexpected }, 'a document failed');
        continue;
      }
      report.upserted += 1;
      if (dryRun && result?.kind === 'ready') report.chunks += result.chunks;
      if (result?.kind === 'same' && before) {
        report.unchanged += 1;
        if (before.version !== version) touched.push({ id: before.id, version, updatedAt: item.updatedAt });
      } else if (before) report.changed += 1;
      else report.added += 1;
    }
    for (let start = 0; start < touched.length && !dryRun; start += touchAtOnce) {
      await store.touchDocuments(touched.slice(start, start + touchAtOnce));
    }
    tally.read(batch.length);
  }

  async #retry(batch: readonly PendingItem[], failure: IndexThreadFailure): Promise<void> {
    const { logger, source, tally } = this.#parts;
    await this.#writing;
    const culprit = failure.culprit === undefined ? batch.length === 1 && batch[0] : batch[failure.culprit];
    if (culprit) {
      const { sourceId } = culprit.item;
      logger.warn({ source, sourceId, reason: failure.message }, 'a document could not be indexed');
      tally.failToRead(sourceId, failure.message);
    }
    const rest = batch.filter((each) => each !== culprit);
    const middle = failure.culprit === undefined ? Math.ceil(rest.length / 2) : rest.length;
    for (const half of [rest.slice(0, middle), rest.slice(middle)]) await this.#readAndAdd(half);
  }

  /** Reads the contents again, because they were lost with the thread. */
  async #readAndAdd(batch: readonly PendingItem[]): Promise<void> {
    const { tally, signal, logger } = this.#parts;
    const fail = (sourceId: string, message: string) => tally.failToRead(sourceId, message);
    const read: ReadItem[] = [];
    for (const each of batch) {
      const again = await readItem(each, { signal, logger, fail });
      if (again) read.push(again);
    }
    if (read.length > 0) await this.add(read);
  }
}

function toIndexItem({ item, content, before, isComparable }: ReadItem): IndexItem {
  const { sourceId, updatedAt, title, tags, metadata, contentType } = item;
  return {
    sourceId,
    updatedAt,
    content,
    ...(title !== undefined && { title }),
    ...(tags !== undefined && { tags }),
    ...(metadata !== undefined && { metadata }),
    ...(contentType !== undefined && { contentType }),
    ...(isComparable && before && { knownHash: before.hash }),
  };
}

function toPublished(
  batch: readonly ReadItem[],
  results: readonly PreparedItem[],
  { firstDocNo, source }: { firstDocNo: number; source: string },
): PublishedDocument[] {
  const documents: PublishedDocument[] = [];
  for (const [index, { item, version }] of batch.entries()) {
    const result = results[index];
    if (result?.kind !== 'ready') continue;
    const { kind, ...facts } = result;
    documents.push({
      docNo: firstDocNo + documents.length,
      id: documentId(source, item.sourceId),
      source,
      sourceId: item.sourceId,
      url: item.url,
      version,
      updatedAt: item.updatedAt,
      ...facts,
    });
  }
  return documents;
}

/** Returns the stable id of a document. */
function documentId(source: string, sourceId: string): string {
  return `doc_${createHash('sha256')
    .update(JSON.stringify([source, sourceId]))
    .digest('hex')
    .slice(0, 24)}`;
}

/** An item whose content must be read. */
export interface PendingItem {
  item: ScannedItem;
  /** The version to store. */
  version: string;
  before: KnownItem | undefined;
  /** The stored version came from the same pipeline, so that equal content means an equal document. */
  isComparable: boolean;
}

interface ReadItem extends PendingItem {
  content: Uint8Array | string;
}

interface ReadOptions {
  signal: AbortSignal;
  logger: Logger;
  fail(sourceId: string, message: string): void;
}

const maxConcurrentReads = 8;
/** A batch is published in one transaction, which blocks the event loop: about 30 ms for this many small items. */
const maxItems = 1_024;
const maxBytes = 1_250_000;

/** Reads contents in batches that fit into memory. An item that cannot be read is reported and skipped. */
export async function* readBatches(pending: readonly PendingItem[], options: ReadOptions): AsyncGenerator<ReadItem[]> {
  let batch: ReadItem[] = [];
  let bytes = 0;
  for await (const read of readAhead(pending, options)) {
    if (!read) continue;
    if (batch.length > 0 && (batch.length === maxItems || bytes + read.content.length > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(read);
    bytes += read.content.length;
  }
  if (batch.length > 0) yield batch;
}

/** Reads items in order, a few at a time. */
async function* readAhead(pending: readonly PendingItem[], options: ReadOptions): AsyncGenerator<ReadItem | undefined> {
  const reading: Promise<ReadItem | undefined>[] = [];
  let next = 0;
  while (next < pending.length || reading.length > 0) {
    for (; reading.length < maxConcurrentReads; next += 1) {
      const item = pending[next];
      if (!item) break;
      const read = readItem(item, options);
      // Awaited in its turn, or never if the sync ends before.
      read.catch(() => {});
      reading.push(read);
    }
    yield await reading.shift();
  }
}

/** Returns undefined for an item that cannot be read, after reporting it. Throws the signal's reason. */
async function readItem(pending: PendingItem, { signal, logger, fail }: ReadOptions): Promise<ReadItem | undefined> {
  const { sourceId } = pending.item;
  try {
    signal.throwIfAborted();
    return { ...pending, content: await pending.item.read(signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HubError)) logger.error({ err: error, sourceId }, 'an item could not be read');
    fail(
      sourceId,
      error instanceof HubError ? error.message : 'It cannot be read because of an unexpected error. See the log.',
    );
    return undefined;
  }
}
