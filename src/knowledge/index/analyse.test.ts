import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseWord } from './analyse.ts';
import { character, nextCharacter, plainWord, scanWords, type TokenKind, word } from './scan-words.ts';

const cases: [token: string, words: string, compounds: string][] = [
  ['Retries', 'retri', ''],
  ['because', 'because', ''],
  ['readFile', 'read file', 'readfil'],
  ['fs.readFile', 'fs read file', 'readfil fsreadfil'],
  ['XMLHttpRequest', 'xml http request', 'xmlhttprequest'],
  ['html5Parser', 'html5 parser', 'html5parser'],
  ['max_tokens', 'max token', 'maxtoken'],
  ['snake__case', 'snake case', 'snakecas'],
  ['utf-8', 'utf 8', 'utf8'],
  ['SHA256', 'sha256', ''],
  ['sha-256', 'sha 256', 'sha256'],
  ['Node.js', 'node js', 'nodej'],
  ['PDFs', 'pdf', ''],
  ['3.14', '3 14', '3.14'],
  ['2026-01-31', '2026 01 31', '2026-01-31'],
  ['Crème', 'creme', ''],
  ['e\u0301tude', 'etud', ''],
  ['Straße', 'strass', ''],
  ['ΟΔΟΣ', 'οδοσ', ''],
  ['İstanbul', 'istanbul', ''],
  ['ﬁne', 'fine', ''],
  ['ＡＢＣ', 'abc', ''],
  ['co\u00adoperate', 'cooper', ''],
];

describe('the terms of a token', () => {
  it.each(cases)('%s → %s | %s', (token, words, compounds) => {
    expect(tokensOf(token)).toEqual([token]);
    const terms = analyseWord(token);
    expect([terms.words.join(' '), terms.compounds.join(' ')]).toEqual([words, compounds]);
  });

  it('are the same for an identifier in every spelling', () => {
    for (const each of ['readFile', 'ReadFile', 'read_file', 'read-file', 'READ_FILE', 'read.file']) {
      expect(analyseWord(each)).toEqual({ words: ['read', 'file'], compounds: ['readfil'] });
    }
  });

  it('of a very long token are truncated', () => {
    const { words, compounds } = analyseWord('x'.repeat(100_000));
    expect([words, compounds]).toEqual([['x'.repeat(64)], []]);
    expect(analyseWord('ab.'.repeat(400)).words.length).toBeLessThan(200);
  });

  it('are never empty, too long or half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        scanWords(text, (start, end, kind) => {
          expect(end).toBeGreaterThan(start);
          if (kind > word) return;
          const { words, compounds } = analyseWord(text.slice(start, end));
          for (const each of [...words, ...compounds]) {
            expect(each).not.toBe('');
            expect(each.isWellFormed()).toBe(true);
            expect(each.length).toBeLessThanOrEqual(64);
            expect(each).toMatch(/^[\p{L}\p{N}.-]+$/u);
          }
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('tokens', () => {
  it('are words and identifiers with single joiners inside', () => {
    expect(tokensOf("-x-- don't (a.b) c. d ..e __proto__ f_g- h--i j/k @l $m")).toEqual(
      'x don t a.b c d e proto f_g h i j k l m'.split(' '),
    );
    expect(tokensOf(' … — 🙂 *** \ud800 \udc00 ')).toEqual([]);
  });

  it('tell plain words from others', () => {
    expect(kindsOf('plain Plain p1 PLAIN isOpen a.b été été2')).toEqual([
      plainWord,
      plainWord,
      plainWord,
      word,
      word,
      word,
      word,
      word,
    ]);
  });

  it('of scripts without spaces are characters', () => {
    expect(tokensOf('東京都 abcガ 𠀀𠀁')).toEqual(['東', '京', '都', 'abc', 'ガ', '𠀀', '𠀁']);
    expect(kindsOf('東京 都')).toEqual([character, nextCharacter, character]);
  });
});

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  scanWords(text, (start, end) => tokens.push(text.slice(start, end)));
  return tokens;
}

function kindsOf(text: string): TokenKind[] {
  const kinds: TokenKind[] = [];
  scanWords(text, (_start, _end, kind) => kinds.push(kind));
  return kinds;
}
