import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countChanges, type DiffLine, diffLines } from './diff-lines.ts';

const shown = (lines: DiffLine[]) =>
  lines.map((line) => `${{ same: ' ', added: '+', removed: '-' }[line.kind]}${line.text}`);

describe('diffLines', () => {
  it('keeps equal texts as they are', () => {
    expect(shown(diffLines('a\nb', 'a\nb'))).toEqual([' a', ' b']);
  });

  it('shows a changed line as removed and added', () => {
    expect(shown(diffLines('a\nold\nc', 'a\nnew\nc'))).toEqual([' a', '-old', '+new', ' c']);
  });

  it('numbers the lines of each side', () => {
    expect(diffLines('a\nc', 'a\nb\nc')).toEqual([
      { kind: 'same', text: 'a', before: 1, after: 1 },
      { kind: 'added', text: 'b', before: null, after: 2 },
      { kind: 'same', text: 'c', before: 2, after: 3 },
    ]);
  });

  it('treats an empty text as no lines', () => {
    expect(shown(diffLines('', 'a'))).toEqual(['+a']);
    expect(shown(diffLines('a', ''))).toEqual(['-a']);
    expect(diffLines('', '')).toEqual([]);
  });

  it('treats all line endings as equal', () => {
    expect(countChanges(diffLines('a\r\nb\rc', 'a\nb\nc'))).toEqual({ added: 0, removed: 0 });
  });

  it('finds the smallest change among repeated lines', () => {
    expect(shown(diffLines('x\nx\ny\nx', 'x\ny\nx\nx\ny'))).toEqual([' x', '-x', ' y', ' x', '+x', '+y']);
  });

  it('keeps a moved paragraph whole', () => {
    expect(shown(diffLines('one\n\ntwo\n\nthree', 'two\n\nthree\n\none'))).toEqual([
      '-one',
      '-',
      ' two',
      ' ',
      ' three',
      '+',
      '+one',
    ]);
  });

  it('can be turned back into both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before.join('\n'), after.join('\n'));
        const side = (other: DiffLine['kind']) => lines.filter((line) => line.kind !== other).map((line) => line.text);
        expect(side('added').join('\n')).toBe(before.join('\n'));
        expect(side('removed').join('\n')).toBe(after.join('\n'));
      }),
      { numRuns: 1_000 },
    );
  });

  it('compares two hundred thousand lines', () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index}`);
    const after = ['first', ...lines.slice(0, -1), 'last'].join('\n');
    expect(countChanges(diffLines(['top', ...lines, 'end'].join('\n'), after))).toEqual({ added: 2, removed: 3 });
  });

  it('gives up on a huge block without anchors instead of running forever', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `a${index % 7}`).join('\n');
    const after = Array.from({ length: 20_000 }, (_, index) => `b${index % 7}`).join('\n');
    expect(countChanges(diffLines(before, after))).toEqual({ added: 20_000, removed: 20_000 });
  });
});
