import { HubError } from '../base/hub-error.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

/** What a segment says about its documents and chunks, in columns. Chunks are numbered in the order of documents. */
export interface SegmentHeader {
  docNos: Float64Array;
  /** The same number for a document wherever and whenever it is indexed: equal scores are put in its order. */
  orders: Float64Array;
  updatedAt: Float64Array;
  /** Index into `sourceNames`. */
  sources: Uint32Array;
  sourceNames: readonly string[];
  /** Indexes into `tagNames`. */
  tags: readonly (readonly number[])[];
  tagNames: readonly string[];
  /** Number of a document's first chunk; one more entry than documents, the last is the number of chunks. */
  firstChunks: Uint32Array;
  /** Words of each chunk, its title and headings among them. */
  lengths: Uint32Array;
}

export interface HeaderDocument {
  docNo: number;
  order: number;
  updatedAt: number;
  source: string;
  tags: readonly string[];
  /** Of its chunks. */
  lengths: ArrayLike<number>;
}

const format = 1;

export function encodeHeader(documents: readonly HeaderDocument[]): Uint8Array<ArrayBuffer> {
  const sources = numbered(documents.map((each) => each.source));
  const tags = numbered(documents.flatMap((each) => each.tags));
  const writer = new ByteWriter(documents.length * 24 + 64);
  writer.writeNumber(format);
  for (const names of [sources, tags]) {
    writer.writeNumber(names.size);
    for (const name of names.keys()) writer.writeText(name);
  }
  writer.writeNumber(documents.length);
  writer.writeNumber(documents.reduce((sum, each) => sum + each.lengths.length, 0));
  let docNo = 0;
  let updatedAt = 0;
  for (const document of documents) {
    writer.writeSigned(document.docNo - docNo);
    docNo = document.docNo;
    writer.writeNumber(document.order);
    const time = Math.trunc(document.updatedAt);
    writer.writeSigned(time - updatedAt);
    updatedAt = time;
    writer.writeNumber(sources.get(document.source) ?? 0);
    writer.writeNumber(document.tags.length);
    for (const tag of document.tags) writer.writeNumber(tags.get(tag) ?? 0);
    writer.writeNumber(document.lengths.length);
    for (let index = 0; index < document.lengths.length; index++) writer.writeNumber(document.lengths[index] ?? 0);
  }
  return writer.take();
}

export function decodeHeader(bytes: Uint8Array): SegmentHeader {
  const reader = new ByteReader(bytes);
  const found = reader.readNumber();
  if (found !== format) {
    throw new HubError(
      'UNAVAILABLE',
      `The search index was written by another version of Agent Zoo (format ${found}, this one reads ${format}). Run \`zoo sync all --full\` to build it anew.`,
    );
  }
  const names = () => Array.from({ length: reader.readNumber() }, () => reader.readText());
  const sourceNames = names();
  const tagNames = names();
  const documents = reader.readNumber();
  const chunks = reader.readNumber();
  const docNos = new Float64Array(documents);
  const orders = new Float64Array(documents);
  const updatedAt = new Float64Array(documents);
  const sources = new Uint32Array(documents);
  const tags: (readonly number[])[] = [];
  const firstChunks = new Uint32Array(documents + 1);
  const lengths = new Uint32Array(chunks);
  let docNo = 0;
  let time = 0;
  let chunk = 0;
  for (let index = 0; index < documents; index++) {
    docNo += reader.readSigned();
    docNos[index] = docNo;
    orders[index] = reader.readNumber();
    time += reader.readSigned();
    updatedAt[index] = time;
    sources[index] = reader.readNumber();
    tags.push(readTags(reader));
    firstChunks[index] = chunk;
    for (let left = reader.readNumber(); left > 0; left--) lengths[chunk++] = reader.readNumber();
  }
  firstChunks[documents] = chunk;
  return { docNos, orders, updatedAt, sources, sourceNames, tags, tagNames, firstChunks, lengths };
}

const noTags: readonly number[] = [];

function readTags(reader: ByteReader): readonly number[] {
  const count = reader.readNumber();
  return count === 0 ? noTags : Array.from({ length: count }, () => reader.readNumber());
}

function numbered(names: readonly string[]): Map<string, number> {
  return new Map([...new Set(names)].map((name, index) => [name, index]));
}
