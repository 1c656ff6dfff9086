import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesAnyGlob, matchesGlob } from './glob.ts';

/** The definition, written as slowly as it reads. */
function naive(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') return naive(pattern.slice(1), text) || (text !== '' && naive(pattern, text.slice(1)));
  return text !== '' && pattern[0] === text[0] && naive(pattern.slice(1), text.slice(1));
}

const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength });

it('matches as the definition says', () => {
  fc.assert(
    fc.property(letters(7), letters(9), (pattern, text) => {
      expect(matchesGlob(pattern, text)).toBe(naive(pattern, text));
    }),
    { numRuns: 2_000 },
  );
});

it('takes dots and slashes for themselves', () => {
  expect(matchesGlob('mcp__mail__*', 'mcp__mail__send')).toBe(true);
  expect(matchesGlob('a.b', 'axb')).toBe(false);
  expect(matchesGlob('*', '../x')).toBe(true);
  expect(matchesAnyGlob([], 'anything')).toBe(false);
});

it('stays quick on a hostile pattern', () => {
  expect(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(5_000))).toBe(false);
});
