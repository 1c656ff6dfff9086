import { setImmediate as nextTurn } from 'node:timers/promises';
import { HubError } from '../../base/hub-error.ts';
import type { KnowledgeStore, Postings, SegmentPostings } from '../store/knowledge-store.ts';
import { joinPostings } from './postings-codec.ts';
import { decodeHeader, type HeaderDocument, HeaderWriter, type SegmentHeader } from './segment-header.ts';

export interface MergeOptions {
  signal: AbortSignal;
  /** Called after each page, with the number of terms written so far. */
  onProgress?: (terms: number) => void;
}

/** Terms per page. Fewer when many segments are merged, so that a page has at most `pageRows` rows. */
const pageTerms = 500;
const pageRows = 8_000;
/** Bytes of postings processed per turn of the event loop. */
const turnBytes = 64 * 1024;
/** Documents processed per turn of the event loop. */
const turnDocuments = 1_000;

/**
 * Merges many segments into few and drops removed documents. Others may read and write in the meantime: the result is
 * published at once, and an abort leaves only a segment that was never published.
 */
export async function mergeSegments(store: KnowledgeStore, options: MergeOptions): Promise<void> {
  for (;;) {
    options.signal.throwIfAborted();
    const plan = await planMerge(store);
    if (!plan) return;
    try {
      await merge(store, plan, options);
    } catch (error) {
      // Another process merged these segments first. Its result is as good.
      if (error instanceof HubError && error.code === 'CONFLICT') return;
      throw error;
    }
  }
}

async function merge(store: KnowledgeStore, sources: readonly MergedSegment[], options: MergeOptions): Promise<void> {
  const { segment } = await store.openSegment(0);
  await writePostings(store, segment, sources, options);
  const { header, chunks } = await joinHeaders(sources, options.signal);
  await store.publish({
    segment,
    header,
    chunks,
    documents: [],
    replaces: {
      segments: sources.map(({ id }) => id),
      droppedDocNos: sources.flatMap((each) => each.droppedDocNos),
    },
  });
}

async function joinHeaders(
  sources: readonly MergedSegment[],
  signal: AbortSignal,
): Promise<{ header: Uint8Array; chunks: number }> {
  const writer = new HeaderWriter();
  let chunks = 0;
  for (const { header, kept } of sources) {
    for (const [count, index] of kept.entries()) {
      const document = headerDocument(header, index);
      chunks += document.lengths.length;
      writer.add(document);
      if (count % turnDocuments === turnDocuments - 1) await nextTurn();
    }
    signal.throwIfAborted();
  }
  return { header: writer.take(), chunks };
}

async function writePostings(
  store: KnowledgeStore,
  segment: number,
  sources: readonly MergedSegment[],
  { signal, onProgress }: MergeOptions,
): Promise<void> {
  const newChunks = new Map(sources.map((each) => [each.id, each.newChunks]));
  const ids = [...newChunks.keys()];
  const terms = Math.min(pageTerms, Math.ceil(pageRows / ids.length));
  let written = 0;
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted();
    const page: SegmentPostings[] = await store.postingsPage(ids, after, terms);
    const last = page.at(-1);
    if (!last) return;
    after = last.term;
    await nextTurn();
    const postings = await joinPage(page, newChunks, signal);
    await nextTurn();
    await store.addPostings(segment, postings);
    written += postings.length;
    onProgress?.(written);
    await nextTurn();
  }
}

/** Joins the rows of each term. The page is sorted by term. */
async function joinPage(
  page: readonly SegmentPostings[],
  newChunks: ReadonlyMap<number, Int32Array>,
  signal: AbortSignal,
): Promise<Postings[]> {
  const order = [...newChunks.keys()];
  const joined: Postings[] = [];
  let bytes = 0;
  for (let start = 0, end = 0; start < page.length; start = end) {
    const term = page[start]?.term ?? '';
    while (page[end]?.term === term) end += 1;
    const rows = page.slice(start, end).sort((one, other) => order.indexOf(one.segment) - order.indexOf(other.segment));
    const data = joinPostings(rows.map((row) => ({ data: row.data, newChunks: newChunks.get(row.segment) ?? none })));
    if (data) joined.push({ term, data });
    bytes += rows.reduce((sum, row) => sum + row.data.length, 0);
    if (bytes < turnBytes) continue;
    bytes = 0;
    await nextTurn();
    signal.throwIfAborted();
  }
  return joined;
}

const none = new Int32Array(0);

/** A segment to be merged. */
interface MergedSegment {
  id: number;
  header: SegmentHeader;
  /** Indexes of the documents that were not removed. */
  kept: readonly number[];
  droppedDocNos: readonly number[];
  /** For each chunk: its number in the new segment, or -1. */
  newChunks: Int32Array;
}

/** The maximum number of segments per size class. */
const maxOfClass = 8;
/** Each size class holds segments up to this many times larger than the class before. */
const classFactor = 8;
/** The largest segment of the first class, in chunks. */
const maxSmallChunks = 1_000;
/** A segment with a larger share of removed chunks is rewritten. */
const maxRemovedShare = 0.3;

/** Returns the segments to merge into one, or undefined when there is nothing to do. */
async function planMerge(store: KnowledgeStore): Promise<MergedSegment[] | undefined> {
  const list = await store.segments();
  const crowded = crowdedClass(list.segments);
  const removed = new Set(list.removed);
  const ids = new Set(crowded);
  const headers = new Map<number, SegmentHeader>();
  for (const { id } of list.segments) {
    if (removed.size === 0 && !ids.has(id)) continue;
    const bytes = await store.segmentHeader(id);
    // The segment disappeared: another process is merging.
    if (!bytes) return undefined;
    const header = decodeHeader(bytes);
    headers.set(id, header);
    if (removedShare(header, removed) > maxRemovedShare) ids.add(id);
    await nextTurn();
  }
  if (ids.size === 0) return undefined;
  const merged: MergedSegment[] = [];
  let firstChunk = 0;
  for (const [id, header] of headers) {
    if (!ids.has(id)) continue;
    const { chunks, ...segment } = withNewChunks(header, { removed, firstChunk });
    merged.push({ id, header, ...segment });
    firstChunk += chunks;
    await nextTurn();
  }
  return merged;
}

/** Returns a document as an entry for the header of the new segment. */
function headerDocument(header: SegmentHeader, index: number): HeaderDocument {
  return {
    docNo: header.docNos[index] ?? 0,
    order: header.orders[index] ?? 0,
    updatedAt: header.updatedAt[index] ?? 0,
    source: header.sourceNames[header.sources[index] ?? 0] ?? '',
    tags: header.tags[index]?.map((tag) => header.tagNames[tag] ?? '') ?? [],
    lengths: header.lengths.subarray(header.firstChunks[index], header.firstChunks[index + 1]),
  };
}

/** Returns the ids of the smallest size class that has too many segments. */
function crowdedClass(segments: readonly { id: number; chunks: number }[]): number[] {
  const classes = Map.groupBy(segments, ({ chunks }) => sizeClass(chunks));
  const crowded = [...classes].filter(([, each]) => each.length > maxOfClass).sort(([left], [right]) => left - right);
  return crowded[0]?.[1].map(({ id }) => id) ?? [];
}

function sizeClass(chunks: number): number {
  let size = 0;
  for (let max = maxSmallChunks; chunks > max; max *= classFactor) size += 1;
  return size;
}

function removedShare({ docNos, firstChunks, lengths }: SegmentHeader, removed: ReadonlySet<number>): number {
  let chunks = 0;
  for (const [document, docNo] of docNos.entries()) {
    if (removed.has(docNo)) chunks += (firstChunks[document + 1] ?? 0) - (firstChunks[document] ?? 0);
  }
  return lengths.length > 0 ? chunks / lengths.length : 0;
}

function withNewChunks(
  header: SegmentHeader,
  { removed, firstChunk }: { removed: ReadonlySet<number>; firstChunk: number },
): Pick<MergedSegment, 'kept' | 'droppedDocNos' | 'newChunks'> & { chunks: number } {
  const keptIndexes: number[] = [];
  const droppedDocNos: number[] = [];
  const newChunks = new Int32Array(header.lengths.length).fill(-1);
  let next = firstChunk;
  for (const [index, docNo] of header.docNos.entries()) {
    if (removed.has(docNo)) {
      droppedDocNos.push(docNo);
      continue;
    }
    const end = header.firstChunks[index + 1] ?? 0;
    for (let chunk = header.firstChunks[index] ?? 0; chunk < end; chunk++) newChunks[chunk] = next++;
    keptIndexes.push(index);
  }
  return { kept: keptIndexes, droppedDocNos, newChunks, chunks: next - firstChunk };
}
