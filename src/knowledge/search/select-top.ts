import type { ChunkKey } from '../store/knowledge-store.ts';
import type { LiveSegment } from './index-state.ts';

/** A chunk with its score, where it stands in its segment, and what breaks ties. */
export interface Candidate {
  segment: LiveSegment;
  /** Index in the segment's documents and chunks. */
  document: number;
  chunk: number;
  score: number;
}

/**
 * The best chunks with a score above 0, best first. Equal scores come in an order that does not depend on how the
 * index was built. A document gives at most `maxPerDocument` of its chunks, so that a long one leaves room for others.
 */
export function selectTop(
  segments: readonly LiveSegment[],
  scores: Float64Array,
  options: { limit: number; maxPerDocument: number; allows: readonly Uint8Array[] },
): Candidate[] {
  const heap: Candidate[] = [];
  let floor = 0;
  const offer = (candidate: Candidate) => {
    if (heap.length < options.limit) {
      heap.push(candidate);
      if (heap.length === options.limit) {
        for (let parent = (heap.length >> 1) - 1; parent >= 0; parent--) sink(heap, parent);
      }
    } else if (heap[0] && compareCandidates(candidate, heap[0]) < 0) {
      heap[0] = candidate;
      sink(heap, 0);
    }
    if (heap.length === options.limit) floor = heap[0]?.score ?? 0;
  };
  for (const [index, segment] of segments.entries()) {
    const { firstChunks } = segment.header;
    const allowed = options.allows[index];
    for (let document = 0; document < firstChunks.length - 1; document++) {
      if (allowed?.[document] !== 1) continue;
      const first = firstChunks[document] ?? 0;
      const end = firstChunks[document + 1] ?? 0;
      const own: Candidate[] | undefined = end - first > options.maxPerDocument ? [] : undefined;
      for (let chunk = first; chunk < end; chunk++) {
        const score = scores[segment.offset + chunk] ?? 0;
        if (score === 0 || score < floor) continue;
        const candidate = { segment, document, chunk, score };
        if (own) own.push(candidate);
        else offer(candidate);
      }
      own?.sort(compareCandidates).slice(0, options.maxPerDocument).forEach(offer);
    }
  }
  return heap.sort(compareCandidates);
}

/** Negative when the first one is better. */
export function compareCandidates(left: Candidate, right: Candidate): number {
  return right.score - left.score || orderOf(left) - orderOf(right) || left.chunk - right.chunk;
}

export function keyOf({ segment, document, chunk }: Candidate): ChunkKey {
  const { docNos, firstChunks } = segment.header;
  return { docNo: docNos[document] ?? 0, ordinal: chunk - (firstChunks[document] ?? 0) };
}

function orderOf({ segment, document }: Candidate): number {
  return segment.header.orders[document] ?? 0;
}

/** Puts a candidate where its parent is worse and its children are better: the worst is on top. */
function sink(heap: Candidate[], start: number): void {
  let parent = start;
  for (;;) {
    let worst = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      const one = heap[child];
      const other = heap[worst];
      if (one && other && compareCandidates(one, other) > 0) worst = child;
    }
    const [a, b] = [heap[parent], heap[worst]];
    if (worst === parent || !a || !b) return;
    heap[parent] = b;
    heap[worst] = a;
    parent = worst;
  }
}
