import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlobs, matchesAnyGlob, matchesGlob } from './glob.ts';

/** The definition, in its simplest and slowest form. */
function naive(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') return naive(pattern.slice(1), text) || (text !== '' && naive(pattern, text.slice(1)));
  return text !== '' && pattern[0] === text[0] && naive(pattern.slice(1), text.slice(1));
}

/** JavaScript's own matcher, for patterns that are too long for the definition. */
function asExpression(pattern: string): RegExp {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`);
}

const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength });
/** Segments too long for `indexOf`, made of few letters, so that they often match in part. */
const longText = fc.array(fc.constantFrom('ab', 'aab', 'abab', 'a', 'b'), { minLength: 10, maxLength: 40 });

describe('100,000 random globs', () => {
  it('match as the definition says', () => {
    let matched = 0;
    fc.assert(
      fc.property(letters(7), letters(9), (pattern, text) => {
        const expected = naive(pattern, text);
        matched += expected ? 1 : 0;
        if (matchesGlob(pattern, text) !== expected) throw new Error(`${pattern} on ${text} is not ${expected}`);
      }),
      { numRuns: 70_000 },
    );
    expect(matched).toBeGreaterThan(1_000);
  });

  it('with long segments match as the definition says', () => {
    let matched = 0;
    const glob = fc.tuple(longText, fc.array(fc.nat(80), { maxLength: 6 }), fc.boolean());
    fc.assert(
      fc.property(glob, ([words, cuts, isSpoiled]) => {
        const text = words.join('');
        const pattern = withStars(text, cuts) + (isSpoiled ? 'ab' : '');
        const expected = asExpression(pattern).test(text);
        matched += expected ? 1 : 0;
        if (matchesGlob(pattern, text) !== expected) throw new Error(`${pattern} on ${text} is not ${expected}`);
      }),
      { numRuns: 30_000 },
    );
    expect(matched).toBeGreaterThan(1_000);
  });
});

/** Replaces parts of the text with stars. */
function withStars(text: string, cuts: readonly number[]): string {
  const places = [...cuts].sort((left, right) => left - right);
  let pattern = '';
  let from = 0;
  for (const [index, place] of places.entries()) {
    if (index % 2 === 0) pattern += `${text.slice(from, Math.max(from, place))}*`;
    from = Math.max(from, place);
  }
  return pattern + text.slice(from);
}

it('matches dots and slashes literally', () => {
  expect(matchesGlob('mcp__mail__*', 'mcp__mail__send')).toBe(true);
  expect(matchesGlob('a.b', 'axb')).toBe(false);
  expect(matchesGlob('*', '../x')).toBe(true);
  expect(matchesAnyGlob([], 'anything')).toBe(false);
});

it('a list finds the first pattern that matches, name or glob', () => {
  fc.assert(
    fc.property(fc.array(letters(4), { maxLength: 12 }), letters(5), (patterns, text) => {
      expect(compileGlobs(patterns).find(text)).toBe(patterns.find((pattern) => naive(pattern, text)));
    }),
    { numRuns: 5_000 },
  );
});

const a = (count: number) => 'a'.repeat(count);
const hostile: [name: string, pattern: string, text: string, matches: boolean][] = [
  ['many stars before what is not there', `${'*a'.repeat(100)}b`, a(10_000), false],
  ['many stars and a miss in the middle', `${'*a'.repeat(50)}*b${'*a'.repeat(50)}*`, a(10_000), false],
  ['a long segment that fits but for its end', `*${a(1_000)}b*`, a(10_000), false],
  ['a long segment that fits but for its start', `*b${a(1_000)}*`, a(10_000), false],
  ['a long segment that fits but for its middle', `*${a(500)}b${a(500)}*`, a(10_000), false],
  ['a segment as long as indexOf gets', `*${a(15)}b*`, a(10_000), false],
  ['many segments that fit but for their ends', `*${`${a(99)}b*`.repeat(10)}`, `${a(98)}b`.repeat(100), false],
  ['periods within periods', `*${'ab'.repeat(400)}c*`, 'ab'.repeat(5_000), false],
  ['nothing but stars', '*'.repeat(10_000), a(10_000), true],
  ['a prefix and a suffix that overlap', `${a(6_000)}*${a(6_000)}`, a(10_000), false],
  ['as many segments as characters', '*a'.repeat(5_000), a(5_000), true],
];

it.each(hostile)('a hostile glob takes less than a millisecond: %s', (_, pattern, text, matches) => {
  let best = Number.POSITIVE_INFINITY;
  // Takes the best of many runs, so that other processes on the machine do not matter.
  for (let round = 0; round < 50; round += 1) {
    const start = performance.now();
    const found = matchesGlob(pattern, text);
    best = Math.min(best, performance.now() - start);
    expect(found).toBe(matches);
  }
  expect(best).toBeLessThan(1);
});
