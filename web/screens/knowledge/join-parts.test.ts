import { expect, it } from 'vitest';
import type { DocumentView } from '../../../src/knowledge/knowledge.contract.ts';
import { joinParts } from './join-parts.ts';

const document = { id: 'doc_1', version: 'v' } as DocumentView['document'];
const passage = (ordinal: number) => ({ ordinal, heading: [], startLine: 1, endLine: 2, text: '', tokens: 1 });
const part = (body: string, [start, end]: [number, number], ordinals: number[], next: string | null): DocumentView => ({
  document,
  body,
  range: { start_line: start, end_line: end, total_lines: 9, bytes: body.length, total_bytes: 90 },
  next: next === null ? null : { lines: next },
  passages: ordinals.map(passage),
  totalPassages: 5,
  outline: [],
});

it('joined parts contain a passage at the boundary once', () => {
  const parts = [part('a\nb\n', [4, 5], [1, 2], '6-'), part('c\nd', [6, 7], [2, 3], null)];
  const joined = joinParts(parts);
  expect(joined).toMatchObject({ body: 'a\nb\nc\nd', isWhole: false });
  expect(joined?.range).toEqual({ start_line: 4, end_line: 7, total_lines: 9, bytes: 7, total_bytes: 90 });
  expect(joined?.passages.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3]);
  expect(joinParts([part('x', [1, 9], [0], null)])?.isWhole).toBe(true);
  expect(joinParts([])).toBeUndefined();
});
