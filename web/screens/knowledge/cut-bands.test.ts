import { describe, expect, it } from 'vitest';
import { cutBands, kindOfDocument } from './cut-bands.ts';

const passage = (ordinal: number, startLine: number, endLine: number) => ({
  ordinal,
  heading: [],
  startLine,
  endLine,
  text: '',
  tokens: 1,
});
const shown = (body: string, passages: ReturnType<typeof passage>[]) =>
  cutBands(body, passages).map((band) => [band.passage?.ordinal ?? null, band.startLine, band.text, band.repeated]);

describe('cutBands', () => {
  it('gives each passage its lines', () => {
    expect(shown('a\nb\nc\nd', [passage(0, 1, 2), passage(1, 3, 4)])).toEqual([
      [0, 1, 'a\nb', 0],
      [1, 3, 'c\nd', 0],
    ]);
  });

  it('shows lines that two passages share once and counts them', () => {
    expect(shown('a\nb\nc\nd', [passage(0, 1, 3), passage(1, 2, 4)])).toEqual([
      [0, 1, 'a\nb\nc', 0],
      [1, 4, 'd', 2],
    ]);
  });

  it('keeps lines outside passages, except empty ones', () => {
    expect(shown('front\n\nb\n\nc\nend', [passage(0, 3, 3), passage(1, 5, 5)])).toEqual([
      [null, 1, 'front\n', 0],
      [0, 3, 'b', 0],
      [1, 5, 'c', 0],
      [null, 6, 'end', 0],
    ]);
  });

  it('keeps a passage that lies within another', () => {
    expect(shown('a\nb\nc', [passage(0, 1, 3), passage(1, 2, 2)])).toEqual([
      [0, 1, 'a\nb\nc', 0],
      [1, 4, '', 2],
    ]);
  });

  it('cuts a part of a document with its line numbers and passages', () => {
    const passages = [passage(3, 8, 11), passage(4, 12, 13), passage(5, 15, 20)];
    const bands = cutBands('ten\neleven\ntwelve\nthirteen\n\nfifteen\n', passages, 10);
    expect(bands.map((band) => [band.passage?.ordinal, band.startLine, band.text, band.repeated])).toEqual([
      [3, 10, 'ten\neleven', 2],
      [4, 12, 'twelve\nthirteen', 0],
      [5, 15, 'fifteen\n', 0],
    ]);
  });

  it('returns one band for a document without passages', () => {
    expect(shown('a\nb', [])).toEqual([[null, 1, 'a\nb', 0]]);
    expect(shown('', [])).toEqual([]);
  });
});

it.each([
  ['text/markdown', 'markdown'],
  ['text/html', 'markdown'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'markdown'],
  ['text/plain', 'text'],
  ['application/pdf', 'text'],
  ['text/x-python', 'code'],
  ['application/json', 'code'],
])('%s is shown as %s', (contentType, kind) => {
  expect(kindOfDocument(contentType)).toBe(kind);
});
