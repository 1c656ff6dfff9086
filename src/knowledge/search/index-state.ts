import { decodeHeader, type SegmentHeader } from '../index/segment-header.ts';
import type { KnowledgeStore, SegmentList } from '../store/knowledge-store.ts';
import type { ScoredSegment, Statistics } from './score.ts';

/** What can be found at one revision. */
export interface IndexState {
  revision: number;
  segments: readonly LiveSegment[];
  statistics: Statistics;
  /** Chunks of all segments, those of removed documents among them. */
  size: number;
}

export interface LiveSegment extends ScoredSegment {
  id: number;
  header: SegmentHeader;
  /** 1 for each document that is there. */
  liveDocuments: Uint8Array;
  updatedAt: Float64Array;
}

/** Headers that are known are not read again. Undefined when a segment went away meanwhile: look again. */
export async function loadState(
  store: KnowledgeStore,
  known: ReadonlyMap<number, SegmentHeader>,
): Promise<IndexState | undefined> {
  const list = await store.segments();
  const headers: SegmentHeader[] = [];
  for (const { id } of list.segments) {
    const header = known.get(id) ?? (await readHeader(store, id));
    if (!header) return undefined;
    headers.push(header);
  }
  return makeState(list, headers);
}

async function readHeader(store: KnowledgeStore, segment: number): Promise<SegmentHeader | undefined> {
  const bytes = await store.segmentHeader(segment);
  return bytes && decodeHeader(bytes);
}

function makeState(list: SegmentList, headers: readonly SegmentHeader[]): IndexState {
  const removed = new Set(list.removed);
  const touched = new Map(list.touched?.map(({ docNo, updatedAt }) => [docNo, updatedAt]));
  let offset = 0;
  let count = 0;
  let words = 0;
  const segments = headers.map((header, index): LiveSegment => {
    const { lengths, firstChunks, docNos } = header;
    const live = new Uint8Array(lengths.length).fill(1);
    const liveDocuments = new Uint8Array(docNos.length).fill(1);
    for (const [document, docNo] of docNos.entries()) {
      if (!removed.has(docNo)) continue;
      liveDocuments[document] = 0;
      live.fill(0, firstChunks[document], firstChunks[document + 1]);
    }
    for (const [chunk, length] of lengths.entries()) {
      if (live[chunk] === 0) continue;
      count += 1;
      words += length;
    }
    const segment = { id: list.segments[index]?.id ?? 0, header, lengths, live, liveDocuments, offset };
    offset += lengths.length;
    return { ...segment, updatedAt: withTouched(header, touched) };
  });
  const averageLength = count > 0 ? words / count : 0;
  return { revision: list.revision, segments, statistics: { count, averageLength }, size: offset };
}

function withTouched({ docNos, updatedAt }: SegmentHeader, touched: ReadonlyMap<number, number>): Float64Array {
  if (touched.size === 0) return updatedAt;
  return updatedAt.map((time, document) => touched.get(docNos[document] ?? 0) ?? time);
}
