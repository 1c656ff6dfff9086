import { setImmediate as nextTurn } from 'node:timers/promises';
import { HubError } from '../../base/hub-error.ts';
import type { KnowledgeStore, Postings, SegmentPostings } from '../store/knowledge-store.ts';
import { headerDocument, type MergedSegment, planMerge } from './plan-merge.ts';
import { joinPostings } from './postings-codec.ts';
import { HeaderWriter } from './segment-header.ts';

export interface MergeOptions {
  signal: AbortSignal;
  /** After each step, with the number of terms written so far. */
  onProgress?: (terms: number) => void;
}

/** Terms that are read at once, and written at once; fewer when many segments may have each of them. */
const pageTerms = 500;
const pageRows = 8_000;
/** Bytes of postings between two turns of the event loop. */
const turnBytes = 64 * 1024;
/** Documents between two turns. */
const turnDocuments = 1_000;

/**
 * Makes few segments of many, and leaves removed documents out. Others may read and write meanwhile: the change shows
 * in one moment, and an abort leaves nothing but a segment that was never shown.
 */
export async function mergeSegments(store: KnowledgeStore, options: MergeOptions): Promise<void> {
  for (;;) {
    options.signal.throwIfAborted();
    const plan = await planMerge(store);
    if (!plan) return;
    try {
      await merge(store, plan, options);
    } catch (error) {
      // Another process was first: what it made is as good.
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

/** The page comes in order of term. */
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
