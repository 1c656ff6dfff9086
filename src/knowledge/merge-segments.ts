import { setImmediate as nextTurn } from 'node:timers/promises';
import { HubError } from '../base/hub-error.ts';
import { compareTerms } from './compare-terms.ts';
import type { KnowledgeStore, Postings, SegmentPostings } from './knowledge-store.ts';
import { type MergedSegment, planMerge } from './plan-merge.ts';
import { joinPostings } from './postings-codec.ts';
import { encodeHeader } from './segment-header.ts';

export interface MergeOptions {
  signal: AbortSignal;
  /** After each step, with the number of terms written so far. */
  onProgress?: (terms: number) => void;
}

/** Terms that are read at once, and written at once; fewer when many segments may have each of them. */
const pageTerms = 500;
const pageRows = 4_000;
/** Bytes of postings between two turns of the event loop. */
const turnBytes = 128 * 1024;

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
  const documents = sources.flatMap((each) => each.documents);
  const { segment } = await store.openSegment(0);
  await writePostings(store, segment, sources, options);
  options.signal.throwIfAborted();
  await store.publish({
    segment,
    header: encodeHeader(documents),
    chunks: documents.reduce((sum, each) => sum + each.lengths.length, 0),
    documents: [],
    replaces: {
      segments: sources.map(({ id }) => id),
      droppedDocNos: sources.flatMap((each) => each.droppedDocNos),
    },
  });
}

async function writePostings(
  store: KnowledgeStore,
  segment: number,
  sources: readonly MergedSegment[],
  { signal, onProgress }: MergeOptions,
): Promise<void> {
  const numbers = new Map(sources.map((each) => [each.id, each.newChunks]));
  const ids = [...numbers.keys()];
  const terms = Math.min(pageTerms, Math.ceil(pageRows / ids.length));
  let written = 0;
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted();
    const page: SegmentPostings[] = await store.postingsPage(ids, after, terms);
    const last = page.at(-1);
    if (!last) return;
    after = last.term;
    const postings = await joinPage(page, numbers, signal);
    await store.addPostings(segment, postings);
    written += postings.length;
    onProgress?.(written);
    await nextTurn();
  }
}

async function joinPage(
  page: readonly SegmentPostings[],
  numbers: ReadonlyMap<number, Int32Array>,
  signal: AbortSignal,
): Promise<Postings[]> {
  const order = [...numbers.keys()];
  const rows = page.toSorted(
    (left, right) => compareTerms(left.term, right.term) || order.indexOf(left.segment) - order.indexOf(right.segment),
  );
  const joined: Postings[] = [];
  let bytes = 0;
  for (let start = 0, end = 0; start < rows.length; start = end) {
    const term = rows[start]?.term ?? '';
    const lists: { data: Uint8Array; newChunks: Int32Array }[] = [];
    for (; rows[end]?.term === term; end++) {
      const row = rows[end];
      const newChunks = row && numbers.get(row.segment);
      if (newChunks) lists.push({ data: row.data, newChunks });
      bytes += row?.data.length ?? 0;
    }
    const data = joinPostings(lists);
    if (data) joined.push({ term, data });
    if (bytes < turnBytes) continue;
    bytes = 0;
    await nextTurn();
    signal.throwIfAborted();
  }
  return joined;
}
