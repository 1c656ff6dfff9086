import { expect, it } from 'vitest';
import type { Chunk, KnowledgeDocument } from './document.ts';
import { viewOf } from './document-view.ts';

const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1} ${'x'.repeat(90)}`);
const document: KnowledgeDocument & { body: string } = {
  id: 'doc_1',
  source: 'filesystem:docs',
  sourceId: 'a.md',
  title: 'A',
  url: null,
  contentType: 'text/markdown',
  tags: [],
  metadata: {},
  hash: 'x',
  size: 100,
  chunks: 250,
  updatedAt: 0,
  indexedAt: 0,
  body: lines.join('\n'),
};
const passages: Chunk[] = Array.from({ length: 250 }, (_, ordinal) => ({
  ordinal,
  heading: [`Part ${ordinal}`],
  startLine: ordinal * 4 + 1,
  endLine: ordinal * 4 + 4,
  text: lines.slice(ordinal * 4, ordinal * 4 + 4).join('\n'),
  tokens: 10,
}));

it('a long document comes in parts that make up the whole', async () => {
  let view = await viewOf(document, {}, passages);
  const bodies = [view.body];
  const seen = new Set(view.passages.map(({ ordinal }) => ordinal));
  expect(view.range).toMatchObject({ start_line: 1, total_lines: 1_000 });
  expect(view).toMatchObject({ totalPassages: 250, outline: { length: 200 } });
  expect(Buffer.byteLength(view.body)).toBeLessThanOrEqual(65_536);
  while (view.next) {
    view = await viewOf(document, { ...view.next, maxBytes: 20_000 }, passages);
    bodies.push(view.body);
    for (const { ordinal } of view.passages) seen.add(ordinal);
  }
  expect(bodies.join('')).toBe(document.body);
  expect(seen.size).toBe(250);
});

it('it begins near the passage that is asked for, unless all of it fits', async () => {
  const near = await viewOf(document, { passage: 100 }, passages);
  expect(near.range.start_line).toBe(98 * 4 + 1);
  expect(near.passages[0]?.ordinal).toBe(98);
  expect((await viewOf(document, { passage: 1 }, passages)).range.start_line).toBe(1);
  expect((await viewOf(document, { passage: 9_999 }, passages)).range.start_line).toBe(1);
  const whole = await viewOf(document, { passage: 100, maxBytes: 1_000_000 }, passages);
  expect(whole).toMatchObject({ body: document.body, next: null, passages: { length: 250 } });
});

it('a document that is one endless line gives a part with some of its passages', async () => {
  const one = { ...document, body: 'x'.repeat(500_000) };
  const all = Array.from({ length: 2_000 }, (_, ordinal) => ({ ...passages[0], ordinal, startLine: 1, endLine: 1 }));
  const view = await viewOf(one, {}, all as Chunk[]);
  expect(view.body).toHaveLength(65_536);
  expect(view.next).toEqual({ lines: '1:65537-' });
  const characters = view.passages.reduce((sum, { text }) => sum + text.length, 0);
  expect(characters).toBeLessThanOrEqual(3 * 65_536);
  expect(view.passages.length).toBeGreaterThan(100);
});
