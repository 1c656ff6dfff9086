import { describe, expect, it } from 'vitest';
import { diffLines } from '../../src/agents/diff-lines.ts';
import { toHunks } from './diff-hunks.ts';

describe('toHunks', () => {
  it('leaves out unchanged lines far from a change', () => {
    const numbers = Array.from({ length: 20 }, (_, index) => String(index));
    const hunks = toHunks(diffLines(numbers.join('\n'), numbers.with(10, 'ten').join('\n')), 2);
    expect(hunks.map((hunk) => [hunk.skipped, hunk.lines.length])).toEqual([
      [8, 6],
      [7, 0],
    ]);
  });

  it('keeps changes that are near each other in one hunk', () => {
    const hunks = toHunks(diffLines('a\nb\nc\nd', 'A\nb\nc\nD'), 1);
    expect(hunks.map((hunk) => hunk.skipped)).toEqual([0]);
  });
});
