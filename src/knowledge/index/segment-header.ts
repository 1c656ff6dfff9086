import { HubError } from '../../base/hub-error.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

/** The documents and chunks of a segment, in columns. Chunks are numbered in the order of documents. */
export interface SegmentHeader {
  docNos: Float64Array;
  /** A number that a document has in every index. It breaks ties between equal scores. */
  orders: Float64Array;
  updatedAt: Float64Array;
  /** Indexes into `sourceNames`. */
  sources: Uint32Array;
  sourceNames: readonly string[];
  /** Indexes into `tagNames`. */
  tags: readonly (readonly number[])[];
  tagNames: readonly string[];
  /** The number of each document's first chunk, plus a last entry with the number of all chunks. */
  firstChunks: Uint32Array;
  /** The number of words in each chunk, including its title. */
  lengths: Uint32Array;
}

export interface HeaderDocument {
  docNo: number;
  order: number;
  updatedAt: number;
  source: string;
  tags: readonly string[];
  /** The number of words in each of its chunks. */
  lengths: ArrayLike<number>;
}

const format = 1;

export function encodeHeader(documents: Iterable<HeaderDocument>): Uint8Array<ArrayBuffer> {
  const writer = new HeaderWriter();
  for (const document of documents) writer.add(document);
  return writer.take();
}

/** Encodes a header document by document, so that callers can pause in between. */
export class HeaderWriter {
  readonly #sources = new Map<string, number>();
  readonly #tags = new Map<string, number>();
  readonly #rows = new ByteWriter(65_536);
  #documents = 0;
  #chunks = 0;
  #docNo = 0;
  #updatedAt = 0;

  add(document: HeaderDocument): void {
    const rows = this.#rows;
    rows.writeSigned(document.docNo - this.#docNo);
    this.#docNo = document.docNo;
    rows.writeNumber(document.order);
    const time = Math.trunc(document.updatedAt);
    rows.writeSigned(time - this.#updatedAt);
    this.#updatedAt = time;
    rows.writeNumber(numberOf(this.#sources, document.source));
    rows.writeNumber(document.tags.length);
    for (const tag of document.tags) rows.writeNumber(numberOf(this.#tags, tag));
    rows.writeNumber(document.lengths.length);
    for (let index = 0; index < document.lengths.length; index++) rows.writeNumber(document.lengths[index] ?? 0);
    this.#documents += 1;
    this.#chunks += document.lengths.length;
  }

  take(): Uint8Array<ArrayBuffer> {
    const head = new ByteWriter();
    head.writeNumber(format);
    for (const names of [this.#sources, this.#tags]) {
      head.writeNumber(names.size);
      for (const name of names.keys()) head.writeText(name);
    }
    head.writeNumber(this.#documents);
    head.writeNumber(this.#chunks);
    const bytes = new Uint8Array(head.length + this.#rows.length);
    bytes.set(head.take());
    bytes.set(this.#rows.take(), head.length);
    return bytes;
  }
}

export function decodeHeader(bytes: Uint8Array): SegmentHeader {
  const reader = new ByteReader(bytes);
  const found = reader.readNumber();
  if (found !== format) {
    throw new HubError(
      'UNAVAILABLE',
      `The search index was written by another version of Agent Zoo (format ${found}, this one reads ${format}). Run \`zoo sync all --full\` to rebuild it.`,
      { details: { retryable: false } },
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

function numberOf(names: Map<string, number>, name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}
