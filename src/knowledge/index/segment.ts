import type { Postings } from '../store/knowledge-store.ts';
import { ByteWriter } from './bytes.ts';
import { writeOccurrence } from './postings-codec.ts';
import { encodeHeader, type HeaderDocument } from './segment-header.ts';
import { createTermTable, type TermTable } from './term-table.ts';

/** Must change whenever the same text would get different terms or statistics. An index with another version is rebuilt. */
export const analysisVersion = '1';

export interface SegmentDocument {
  docNo: number;
  source: string;
  sourceId: string;
  updatedAt: number;
  tags: readonly string[];
  title: string;
  chunks: readonly { heading: readonly string[]; text: string }[];
}

/**
 * Builds the index of some documents. Postings are sorted by the bytes of their terms, and their data are views of one
 * buffer. Pure computation, meant for a worker thread.
 */
export function buildSegment(documents: readonly SegmentDocument[]): {
  header: Uint8Array<ArrayBuffer>;
  chunks: number;
  postings: Postings[];
} {
  const table = createTermTable();
  const headers = documents.map((document) => indexDocument(table, document));
  return {
    header: encodeHeader(headers),
    chunks: table.chunks(),
    postings: encodePostings(table),
  };
}

/** Indexes the path like a heading, because people remember names of files and folders. */
function indexDocument(table: TermTable, document: SegmentDocument): HeaderDocument {
  const lengths = document.chunks.map((chunk) => {
    const textLength = table.count(chunk.text, 'text');
    const titleLength = table.count(document.title, 'title');
    for (const heading of chunk.heading) table.count(heading, 'heading');
    table.count(document.sourceId, 'heading');
    table.endChunk();
    return textLength + titleLength;
  });
  return {
    docNo: document.docNo,
    order: documentOrder(document.source, document.sourceId),
    updatedAt: document.updatedAt,
    source: document.source,
    tags: document.tags,
    lengths,
  };
}

function encodePostings(table: TermTable): Postings[] {
  const writer = new ByteWriter(1 << 20);
  const ends: { term: string; end: number }[] = [];
  table.forEachTerm((term, occurrences) => {
    writer.writeNumber(occurrences.count);
    let previous = -1;
    occurrences.forEach((occurrence) => {
      writeOccurrence(writer, previous, occurrence);
      previous = occurrence.chunk;
    });
    ends.push({ term, end: writer.length });
  });
  const bytes = writer.take();
  let start = 0;
  return ends.map(({ term, end }) => {
    const data = bytes.subarray(start, end);
    start = end;
    return { term, data };
  });
}

/** Returns a number below 2^52 that a document has in every index, derived from its source and `sourceId`. */
function documentOrder(source: string, sourceId: string): number {
  const name = `${source}\n${sourceId}`;
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 15;
  }
  return (high >>> 0) * 2 ** 20 + (low >>> 12);
}
