import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decodePostings, joinPostings, type Occurrence, readOccurrences, writeOccurrence } from './postings-codec.ts';
import { buildSegment, type SegmentDocument } from './segment.ts';
import { decodeHeader, encodeHeader } from './segment-header.ts';

const document: SegmentDocument = {
  docNo: 7,
  source: 'git:docs',
  sourceId: 'guides/retry.md',
  updatedAt: 1_700_000_000_123,
  tags: ['ops', 'ü'],
  title: 'Retries',
  chunks: [
    { heading: ['Guide', 'How it retries'], text: 'The hub retries a call. A call may fail.' },
    { heading: [], text: 'Nothing else.' },
  ],
};

describe('a segment', () => {
  it('counts each term in text, title and headings of each chunk', () => {
    const { postings, chunks } = buildSegment([document]);
    expect(chunks).toBe(2);
    expect(occurrencesOf(postings, 'retri')).toEqual([
      { chunk: 0, text: 1, title: 1, heading: 2 },
      { chunk: 1, text: 0, title: 1, heading: 1 },
    ]);
    expect(occurrencesOf(postings, 'call')).toEqual([{ chunk: 0, text: 2, title: 0, heading: 0 }]);
    expect(occurrencesOf(postings, 'the')).toEqual([{ chunk: 0, text: 1, title: 0, heading: 0 }]);
    expect(occurrencesOf(postings, 'absent')).toEqual([]);
  });

  it('has its documents and the word counts of each chunk, without stop words', () => {
    const other = { ...document, docNo: 3, source: 'git:site', updatedAt: -5, tags: [], chunks: [] };
    const header = decodeHeader(buildSegment([document, other]).header);
    expect([...header.docNos]).toEqual([7, 3]);
    expect([...header.updatedAt]).toEqual([1_700_000_000_123, -5]);
    expect([...header.sources].map((each) => header.sourceNames[each])).toEqual(['git:docs', 'git:site']);
    expect(header.tags.map((each) => each.map((tag) => header.tagNames[tag]))).toEqual([['ops', 'ü'], []]);
    expect([...header.firstChunks]).toEqual([0, 2, 2]);
    // hub, retries, call, call, may, fail and the title; nothing, else and the title.
    expect([...header.lengths]).toEqual([7, 3]);
  });

  it('has its terms in byte order', () => {
    // A character above the halves of surrogate pairs, and a pair: JavaScript's own order has them the other way round.
    const text = 'b a Z é 東京 \ufa0e 𠀀 a1 ab';
    const terms = buildSegment([{ ...document, chunks: [{ heading: [], text }] }]).postings.map(({ term }) => term);
    const bytes = terms.map((term) => Buffer.from(term));
    expect(bytes.toSorted(Buffer.compare)).toEqual(bytes);
    expect(new Set(terms).size).toBe(terms.length);
    expect(terms.toSorted()).not.toEqual(terms);
  });

  it('caps the count of a word that is repeated endlessly', () => {
    const text = 'word '.repeat(70_000);
    const { postings } = buildSegment([{ ...document, title: 'word '.repeat(300), chunks: [{ heading: [], text }] }]);
    expect(occurrencesOf(postings, 'word')).toEqual([{ chunk: 0, text: 65_535, title: 255, heading: 0 }]);
  });

  it('without documents is empty', () => {
    const { header, postings, chunks } = buildSegment([]);
    expect([postings, chunks]).toEqual([[], 0]);
    expect(decodeHeader(header).docNos).toHaveLength(0);
  });

  it('of another format is rejected with advice', () => {
    expect(() => decodeHeader(Uint8Array.of(99))).toThrow('zoo sync all --full');
  });
});

const count = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 65_535 }));
const occurrences = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 300 }), count, count, count), { maxLength: 50 })
  .map((rows) => {
    let chunk = -1;
    return rows.map(([gap, text, title, heading]): Occurrence => {
      chunk += gap;
      return { chunk, text: text + title + heading === 0 ? 1 : text, title, heading };
    });
  });

describe('postings', () => {
  it('survive a round trip, and are weighted for scoring', () => {
    fc.assert(
      fc.property(occurrences, (written) => {
        const data = encode(written);
        expect(decode(data)).toEqual(written);
        const { chunks, frequencies } = decodePostings(data, { title: 4, heading: 2 });
        expect([...chunks]).toEqual(written.map((each) => each.chunk));
        expect([...frequencies]).toEqual(written.map((each) => each.text + 4 * each.title + 2 * each.heading));
      }),
    );
  });

  it('are joined with new numbers, dropping some', () => {
    fc.assert(
      fc.property(occurrences, occurrences, fc.integer({ min: 2, max: 5 }), (first, second, step) => {
        const size = (list: Occurrence[]) => (list.at(-1)?.chunk ?? -1) + 1;
        const keeps = (chunk: number) => chunk % step !== 0;
        let next = 0;
        const lists = [first, second].map((list) => {
          const newChunks = Int32Array.from({ length: size(list) }, (_, chunk) => (keeps(chunk) ? next++ : -1));
          return { data: encode(list), newChunks, list };
        });
        const expected = lists.flatMap(({ list, newChunks }) =>
          list.filter(({ chunk }) => keeps(chunk)).map((each) => ({ ...each, chunk: newChunks[each.chunk] ?? -1 })),
        );
        const joined = joinPostings(lists);
        expect(joined ? decode(joined) : []).toEqual(expected);
        expect(joined === undefined).toBe(expected.length === 0);
      }),
    );
  });
});

it('numbers and texts survive a round trip', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.maxSafeNat(), fc.maxSafeInteger(), fc.string({ unit: 'grapheme' }))), (rows) => {
      const writer = new ByteWriter(1);
      const half = (value: number) => Math.trunc(value / 4);
      for (const [number, signed, text] of rows) {
        writer.writeNumber(number);
        writer.writeSigned(half(signed));
        writer.writeText(text);
      }
      const reader = new ByteReader(writer.take());
      for (const [number, signed, text] of rows) {
        expect(reader.readNumber()).toBe(number);
        expect(reader.readSigned()).toBe(half(signed) + 0);
        expect(reader.readText()).toBe(text.toWellFormed());
      }
      expect(() => reader.readNumber()).toThrow(RangeError);
    }),
  );
});

it('a header keeps the order of its documents', () => {
  const documents = [5, 900_000_000_000, 2].map((docNo) => ({
    docNo,
    order: 2 ** 52 - docNo,
    updatedAt: docNo * 3,
    source: 'git:x',
    tags: [],
    lengths: [docNo % 100, 0],
  }));
  const header = decodeHeader(encodeHeader(documents));
  expect([...header.docNos]).toEqual(documents.map((each) => each.docNo));
  expect([...header.orders]).toEqual(documents.map((each) => each.order));
  expect([...header.lengths]).toEqual([5, 0, 0, 0, 2, 0]);
});

function encode(list: readonly Occurrence[]): Uint8Array {
  const writer = new ByteWriter();
  writer.writeNumber(list.length);
  let previous = -1;
  for (const each of list) {
    writeOccurrence(writer, previous, each);
    previous = each.chunk;
  }
  return writer.take();
}

function decode(data: Uint8Array): Occurrence[] {
  const list: Occurrence[] = [];
  readOccurrences(data, (occurrence) => list.push({ ...occurrence }));
  return list;
}

function occurrencesOf(postings: readonly { term: string; data: Uint8Array }[], term: string): Occurrence[] {
  const found = postings.find((each) => each.term === term);
  return found ? decode(found.data) : [];
}
