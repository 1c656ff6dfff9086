import { ByteReader, ByteWriter } from './bytes.ts';

/**
 * A term in a chunk. Encoded postings begin with the number of chunks. Each chunk follows as the gap to the previous one
 * and the counts of the term in its text, title and headings, mostly in one or two bytes.
 */
export interface Occurrence {
  /** The number of the chunk in its segment, ascending. */
  chunk: number;
  text: number;
  title: number;
  heading: number;
}

/** The lowest two bits of an encoded gap. */
const onceInText = 0;
const twiceInText = 1;
const onlyInText = 2;
const anywhere = 3;

export function writeOccurrence(writer: ByteWriter, previousChunk: number, occurrence: Occurrence): void {
  const { chunk, text, title, heading } = occurrence;
  const gap = (chunk - previousChunk - 1) * 4;
  if (title > 0 || heading > 0) {
    writer.writeNumber(gap + anywhere);
    writer.writeNumber(text);
    writer.writeNumber(title);
    writer.writeNumber(heading);
  } else if (text <= 2) {
    writer.writeNumber(gap + (text === 1 ? onceInText : twiceInText));
  } else {
    writer.writeNumber(gap + onlyInText);
    writer.writeNumber(text);
  }
}

/** Visits each occurrence. Reuses one object for all calls. */
export function readOccurrences(data: Uint8Array, visit: (occurrence: Occurrence) => void): void {
  const reader = new ByteReader(data);
  const occurrence: Occurrence = { chunk: -1, text: 0, title: 0, heading: 0 };
  for (let left = reader.readNumber(); left > 0; left--) {
    const head = reader.readNumber();
    const code = head & 3;
    occurrence.chunk += (head - code) / 4 + 1;
    occurrence.text = code === onceInText ? 1 : code === twiceInText ? 2 : reader.readNumber();
    occurrence.title = code === anywhere ? reader.readNumber() : 0;
    occurrence.heading = code === anywhere ? reader.readNumber() : 0;
    visit(occurrence);
  }
}

/** Joins lists and renumbers their chunks; -1 drops a chunk. Returns undefined when none is left. */
export function joinPostings(
  lists: readonly { data: Uint8Array; newChunks: Int32Array }[],
): Uint8Array<ArrayBuffer> | undefined {
  const body = new ByteWriter(lists.reduce((sum, { data }) => sum + data.length, 16));
  const moved: Occurrence = { chunk: 0, text: 0, title: 0, heading: 0 };
  let count = 0;
  let previous = -1;
  for (const { data, newChunks } of lists) {
    readOccurrences(data, (occurrence) => {
      const chunk = newChunks[occurrence.chunk] ?? -1;
      if (chunk < 0) return;
      moved.chunk = chunk;
      moved.text = occurrence.text;
      moved.title = occurrence.title;
      moved.heading = occurrence.heading;
      writeOccurrence(body, previous, moved);
      previous = chunk;
      count += 1;
    });
  }
  if (count === 0) return undefined;
  const head = new ByteWriter(8);
  head.writeNumber(count);
  const joined = new Uint8Array(head.length + body.length);
  joined.set(head.take());
  joined.set(body.take(), head.length);
  return joined;
}

export interface FieldWeights {
  title: number;
  heading: number;
}

export interface DecodedPostings {
  chunks: Uint32Array;
  /** Weighted counts: an occurrence in a title or heading counts with its weight. */
  frequencies: Float32Array;
}

/** Decodes postings for scoring, in a tight loop of its own because every search waits for it. */
export function decodePostings(data: Uint8Array, weights: FieldWeights): DecodedPostings {
  let position = 0;
  const next = () => {
    let byte = data[position++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; ; shift += 7) {
      byte = data[position++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  const count = next();
  const chunks = new Uint32Array(count);
  const frequencies = new Float32Array(count);
  let chunk = -1;
  for (let index = 0; index < count; index++) {
    const head = next();
    chunk += (head >>> 2) + 1;
    chunks[index] = chunk;
    const code = head & 3;
    if (code < onlyInText) frequencies[index] = code + 1;
    else if (code === onlyInText) frequencies[index] = next();
    else frequencies[index] = next() + weights.title * next() + weights.heading * next();
  }
  return { chunks, frequencies };
}
