import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testTitle, titleOf } from './chat-title.ts';
import { queryWords, snippetOf, wordsOf } from './search-words.ts';

describe('the words of a text', () => {
  it.each([
    ['Größe, größe; GRÖSSE!', ['große', 'grosse']],
    ['naïve_café 2nd', ['naive_cafe', '2nd']],
    ['東京 へ', ['東', '京', 'へ']],
    ['a-b.c', ['a', 'b', 'c']],
    ['', []],
    ['😀 …', []],
  ])('%j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('can be found by each of their prefixes, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const words = wordsOf(text);
        for (const word of words) {
          expect(queryWords(word)).toEqual([word]);
          expect(snippetOf(text, [word])).toBeDefined();
        }
      }),
    );
  });

  it('are limited in number', () => {
    const text = Array.from({ length: 9_000 }, (_, index) => `w${index}`).join(' ');
    expect(wordsOf(text)).toHaveLength(5_000);
    expect(queryWords(text)).toHaveLength(10);
    expect(wordsOf('x'.repeat(1_000))).toEqual(['x'.repeat(40)]);
  });
});

describe('a snippet', () => {
  it('is the text around the first match', () => {
    const text = `${'before '.repeat(40)}\n\n the  Heron ${'after '.repeat(60)}`;
    const snippet = snippetOf(text, ['her']) ?? '';
    expect(snippet).toMatch(/^…before .* the Heron after .*…$/);
    expect(snippet.length).toBeLessThan(170);
    expect(snippetOf(text, ['walrus'])).toBeUndefined();
    expect(snippetOf('Heron', ['her'])).toBe('Heron');
    expect(snippetOf('a (Heron)', ['heron'])).toBe('a (Heron)');
  });

  it('starts at the same position in ASCII and other text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abAB1_(). \n'), maxLength: 120 });
    fc.assert(
      fc.property(text, fc.constantFrom('a', 'b', 'ab', '1', '_a'), (before, wanted) => {
        const found = snippetOf(before, [wanted]);
        const inOther = snippetOf(`${before} ü`, [wanted]);
        expect(inOther).toBe(found === undefined ? undefined : `${found} ü`);
      }),
    );
  });
});

describe('a title', () => {
  it.each([
    ['Hello', 'Hello'],
    ['  One \t line\nand another', 'One line'],
    [`${'word '.repeat(20)}end`, 'word word word word word word word word word word word word…'],
    ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ])('of %j is %j', (text, title) => {
    expect(titleOf(text)).toBe(title);
  });

  it('of a test names the tool and the time', () => {
    const local = new Date(2026, 10, 16, 9, 5, 11).getTime();
    expect(testTitle('book_flight', local)).toBe('test-book_flight-2026-11-16T09:05:11');
  });
});
