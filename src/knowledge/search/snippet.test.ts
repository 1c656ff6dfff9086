import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from './parse-query.ts';
import { createSnippets } from './snippet.ts';

const filler = 'Nothing that anybody would look for stands in this sentence at all. '.repeat(10);

describe('a snippet', () => {
  it('marks matches in every form of the word', () => {
    expect(snippetOf('retry sync', 'It retried twice.\n\n  Then the\tsync Retries.')).toBe(
      'It **retried** twice. Then the **sync** **Retries**.',
    );
    expect(snippetOf('file', 'Call fs.readFile(path)')).toBe('Call **fs.readFile**(path)');
    expect(snippetOf('東京', '私は東京都に住む')).toBe('私は**東京**都に住む');
  });

  it('is the part with most different words', () => {
    const text = `${filler}alpha alpha alpha. ${filler}Here alpha meets beta. ${filler}`;
    const snippet = snippetOf('alpha beta', text);
    expect(snippet).toContain('Here **alpha** meets **beta**.');
    expect(snippet).toMatch(/^… \S.*\S …$/);
    expect(snippet.replaceAll('**', '').length).toBeLessThanOrEqual(246);
  });

  it('without a match is the beginning', () => {
    expect(snippetOf('absent', filler)).toMatch(/^Nothing that anybody/);
    expect(snippetOf('absent', 'Short.')).toBe('Short.');
    expect(snippetOf('absent', '')).toBe('');
  });

  it('keeps asterisks in the text apart from marks', () => {
    expect(snippetOf('bold', 'Some **bold** and *bold* and `src/**/bold.ts` 2 ** 3')).toBe(
      'Some **bold** and **bold** and `src/*/**bold.ts**` 2 * 3',
    );
    expect(snippetOf('a1 b1', 'a1*b1')).toBe('**a1** **b1**');
  });

  it('is well formed and, without marks, a part of the text', () => {
    const piece = fc.oneof(
      fc.constantFrom('alpha', 'beta', ' ', '\n', '*', '**', '🙂', '東京', 'readAlpha', 'x'.repeat(300)),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('').toWellFormed();
        const snippet = snippetOf('alpha beta 東京', text);
        expect(snippet.isWellFormed()).toBe(true);
        const parts = snippet.split('**');
        expect(parts.length % 2).toBe(1);
        for (const [index, part] of parts.entries()) {
          expect(part).not.toContain('**');
          if (index % 2 === 1) expect(part).toMatch(/^[^\s*][^*]*$/);
        }
        const letters = (from: string) => from.replaceAll(/[\s*…]/g, '');
        expect(letters(text)).toContain(letters(snippet));
        expect(snippet.replaceAll('**', '').length).toBeLessThanOrEqual(260);
      }),
      { numRuns: 500 },
    );
  });
});

function snippetOf(query: string, text: string): string {
  return createSnippets(parseQuery(query).words)(text);
}
