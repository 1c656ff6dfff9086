import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk, KnowledgeDocument } from './document.ts';
import { DocumentPart, DocumentRequest, partOf } from './document-part.ts';

const facts: KnowledgeDocument = {
  id: 'doc_1',
  source: 'filesystem:docs',
  sourceId: 'a.md',
  title: 'A',
  url: null,
  contentType: 'text/markdown',
  hash: 'x',
  updatedAt: 0,
  indexedAt: 0,
  tags: [],
  metadata: {},
  chunks: 2,
  size: 1,
};
const chunk = (ordinal: number, startLine: number, text: string): Chunk => ({
  ordinal,
  heading: [],
  startLine,
  endLine: startLine + text.split('\n').length - 1,
  text,
  tokens: 1,
});
const passages = [chunk(0, 1, 'one\ntwo'), chunk(1, 3, 'three')];
const ask = async (body: string, request: Omit<DocumentRequest, 'id'> = {}) => {
  const part = await partOf({ ...facts, body }, request, async () => passages);
  expect(DocumentPart.parse(part)).toEqual(part);
  return part;
};

describe('a part of a document', () => {
  it('is the whole document if it is small', async () => {
    const part = await ask('one\ntwo\nthree');
    expect(part).toMatchObject({ id: 'doc_1', title: 'A', body: 'one\ntwo\nthree', next: null });
    expect(part.range).toEqual({ start_line: 1, end_line: 3, total_lines: 3, bytes: 13, total_bytes: 13 });
    expect(part).not.toHaveProperty('note');
    expect(await ask('')).toMatchObject({ body: '', next: null, range: { start_line: 1, end_line: 1 } });
  });

  it('is 64 KB by default, ends with a line, and says how to read on', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const part = await ask(line.repeat(1_000));
    expect(part.body).toBe(line.repeat(655));
    expect(part.next).toEqual({ id: 'doc_1', lines: '656-' });
    expect(part.note).toBe(
      'Cut: these are lines 1 to 655 of 1,001, 65,500 of 100,000 bytes. To read on, call get with {"id":"doc_1","lines":"656-"}.',
    );
  });

  const text = 'one\ntwo\nthree\nfour\n';
  const cases: [request: Omit<DocumentRequest, 'id'>, body: string, next: object | null][] = [
    [{ lines: '2-3' }, 'two\nthree\n', { lines: '4-' }],
    [{ lines: '2' }, 'two\n', { lines: '3-' }],
    [{ lines: '3-' }, 'three\nfour\n', null],
    [{ lines: '3:3-' }, 'ree\nfour\n', null],
    [{ lines: '4-99' }, 'four\n', null],
    [{ lines: '2-4', max_bytes: 6 }, 'two\n', { lines: '3-4' }],
    [{ lines: '3-4', max_bytes: 4 }, 'thre', { lines: '3:5-4' }],
    [{ lines: '3:5-4', max_bytes: 4 }, 'e\n', { lines: '4-4' }],
    [{ passage: 0 }, 'one\ntwo', { passage: 1 }],
    [{ passage: 1 }, 'three', null],
    [{ passage: 1, max_bytes: 4 }, 'thre', { passage: 1, max_bytes: 5 }],
  ];
  it.each(cases)('%j is %j, then %j', async (request, body, next) => {
    expect(await ask(text, request)).toMatchObject({ body, next: next && { id: 'doc_1', ...next } });
  });

  it.each([
    [{ lines: '9-' }, /It has 5 lines/],
    [{ lines: '3-2' }, /It has 5 lines/],
    [{ passage: 2 }, /Available: 0 to 1/],
    [{ lines: '1', passage: 0 }, /not both/],
  ])('%j is rejected', async (request, message) => {
    await expect(ask(text, request)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringMatching(message),
    });
  });

  it.each(['0', '-3', '1-0', 'a', '1:0', '1-2-3', ''])('the lines %j are no lines', (lines) => {
    expect(DocumentRequest.safeParse({ id: 'a', lines }).success).toBe(false);
  });

  it('read on to the end, all parts are the text, none is too large, and no character is split', async () => {
    const piece = fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r\n', 'words ');
    const run = fc.asyncProperty(
      fc.array(piece, { maxLength: 60 }),
      fc.integer({ min: 4, max: 40 }),
      async (pieces, maxBytes) => {
        const whole = pieces.join('');
        let read = '';
        let request: Omit<DocumentRequest, 'id'> = { max_bytes: maxBytes };
        for (let calls = 0; calls <= whole.length + 1; calls++) {
          const part = await ask(whole, request);
          expect(Buffer.byteLength(part.body)).toBeLessThanOrEqual(maxBytes);
          expect(part.body.isWellFormed()).toBe(true);
          read += part.body;
          if (!part.next) break;
          expect(part.body).not.toBe('');
          const { lines } = part.next;
          request = { max_bytes: maxBytes, ...(lines !== undefined && { lines }) };
        }
        expect(read).toBe(whole);
      },
    );
    await fc.assert(run, { numRuns: 300 });
  });

  it('a place inside a character moves before it', async () => {
    expect((await ask('a😀b', { lines: '1:3-' })).body).toBe('😀b');
  });
});
