import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { decodeHeader, type HeaderDocument, type SegmentHeader } from './segment-header.ts';

/** A segment that becomes part of another one. */
export interface MergedSegment {
  id: number;
  header: SegmentHeader;
  /** Indexes of the documents that are still there. */
  kept: readonly number[];
  droppedDocNos: readonly number[];
  /** For each chunk its number in the new segment, or -1. */
  newChunks: Int32Array;
}

/** Segments of one size class that may stand beside each other. */
const maxOfClass = 8;
/** Each class holds segments up to so many times as large as the one before; the first, up to so many chunks. */
const classFactor = 8;
const smallest = 1_000;
/** A segment with a larger part of removed chunks is written anew. */
const maxRemoved = 0.3;

/** What to merge into one segment, or undefined when all is well. */
export async function planMerge(store: KnowledgeStore): Promise<MergedSegment[] | undefined> {
  const list = await store.segments();
  const crowded = crowdedClass(list.segments);
  const removed = new Set(list.removed);
  const ids = new Set(crowded);
  const headers = new Map<number, SegmentHeader>();
  for (const { id } of list.segments) {
    if (removed.size === 0 && !ids.has(id)) continue;
    const bytes = await store.segmentHeader(id);
    // It went away meanwhile: whoever replaced it is merging.
    if (!bytes) return undefined;
    const header = decodeHeader(bytes);
    headers.set(id, header);
    if (removedShare(header, removed) > maxRemoved) ids.add(id);
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

/** As it is written into the header of the new segment. */
export function headerDocument(header: SegmentHeader, index: number): HeaderDocument {
  return {
    docNo: header.docNos[index] ?? 0,
    order: header.orders[index] ?? 0,
    updatedAt: header.updatedAt[index] ?? 0,
    source: header.sourceNames[header.sources[index] ?? 0] ?? '',
    tags: header.tags[index]?.map((tag) => header.tagNames[tag] ?? '') ?? [],
    lengths: header.lengths.subarray(header.firstChunks[index], header.firstChunks[index + 1]),
  };
}

/** The smallest class with too many. */
function crowdedClass(segments: readonly { id: number; chunks: number }[]): number[] {
  const classes = Map.groupBy(segments, ({ chunks }) => sizeClass(chunks));
  const crowded = [...classes].filter(([, each]) => each.length > maxOfClass).sort(([left], [right]) => left - right);
  return crowded[0]?.[1].map(({ id }) => id) ?? [];
}

function sizeClass(chunks: number): number {
  let size = 0;
  for (let most = smallest; chunks > most; most *= classFactor) size += 1;
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
  const kept: number[] = [];
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
    kept.push(index);
  }
  return { kept, droppedDocNos, newChunks, chunks: next - firstChunk };
}
