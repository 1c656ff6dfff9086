import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinearPattern } from './linear-pattern.ts';
import { readPattern } from './read-pattern.ts';

const texts = [
  '',
  'a',
  'ab',
  'abc',
  'aab',
  'Oslo',
  '2026-11-17',
  'é',
  'école',
  '👍',
  'a\nb',
  ' \t',
  '\u2028',
  'x_1',
  '-',
  'foo bar',
  '^',
  '\u0085',
];

describe('matches the same texts as JavaScript', () => {
  it.each([
    ...[
      '',
      '^$',
      '^a',
      'b$',
      'a|b',
      '^(?:a|ab)c$',
      '[a-c]+',
      '[^a-c]',
      '^[^\\s]+$',
      '.',
      '^.$',
      '^.{2}$',
      '^\\d{4}-\\d{2}-\\d{2}$',
    ],
    ...[
      '\\bb',
      '\\Bb',
      '\\w+',
      '\\W',
      '\\s',
      '\\S',
      '\\D',
      '^\\p{L}+$',
      '\\P{L}',
      '[\\p{Lu}_]',
      '[^\\p{Lu}]',
      '\\u{1F44D}',
      '\\ud83d\\udc4d',
      '^[👍]$',
    ],
    ...[
      '(a*)*',
      '(a*)+b',
      '(a|a)*c',
      'a{0}',
      'a{2}b',
      'a{1,2}?b',
      'a??',
      '(?<year>\\d+)',
      '[\\d-]',
      '[-a]',
      '[^\\]a]',
      '[^]',
      '[\\b]',
      '\\x61',
      '\\cJ',
      '[\\cj\\0]',
      '\\0',
      '\\\\c',
    ],
    ...['\\^', '[\\w.-]+', '(^a|b$)', '(|a)', '^(?:(?:)*)*$', '\\/', '[\\]]', '[a\\-c]', '[\\S]', '[^\\D]', '\\n'],
  ])('%s', (source) => {
    const own = new LinearPattern(source);
    const native = new RegExp(source, 'u');
    for (const text of texts) expect(own.test(text), JSON.stringify(text)).toBe(native.test(text));
  });

  const atom = fc.constantFrom('a', 'b', '[ab]', '.', '[^a]', '\\w', '\\b', '^', '$', '', '\\p{L}', '👍');
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 5 },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?'))
        .map(([one, count]) => `(${one})${count}`),
    ),
  }));

  it('for any pattern and any text', () => {
    const letters = fc.constantFrom('a', 'b', '_', '\n', '👍', 'é');
    let fitted = 0;
    fc.assert(
      fc.property(pattern, fc.array(letters, { maxLength: 6 }), (source, parts) => {
        const text = parts.join('');
        const expected = new RegExp(source, 'u').test(text);
        if (expected) fitted += 1;
        expect(new LinearPattern(source).test(text)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
    expect(fitted).toBeGreaterThan(300);
    expect(fitted).toBeLessThan(2_900);
  });
});

it.each(['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '(a|ab)*c', '^(\\w+\\s?)*$', 'a{1,500}a{1,500}c'])(
  '%s takes work in proportion to the text',
  (source) => {
    const work = (length: number): number => {
      let sum = 0;
      new LinearPattern(source).test(`${'a'.repeat(length)}!`, (each) => {
        sum += each;
      });
      return sum;
    };
    expect(work(4_000)).toBeLessThanOrEqual(2.2 * work(2_000));
  },
);

it('a class of many ranges matches the same characters', () => {
  const own = new LinearPattern('^[c-ea-ddx\\dzy5-9é\\W]$');
  const native = /^[c-ea-ddx\dzy5-9é\W]$/u;
  for (let code = 0; code < 300; code += 1) {
    const letter = String.fromCodePoint(code);
    expect(own.test(letter), letter).toBe(native.test(letter));
  }
});

it('the ranges of a class are sorted and joined, and its properties are unique', () => {
  const read = (source: string) => {
    const part = readPattern(source);
    const [first] = part.kind === 'sequence' ? part.parts : [];
    return first?.kind === 'character' ? first.set : undefined;
  };
  expect(read('[xc-ea-dbb\\d5]')?.ranges).toEqual([48, 57, 97, 101, 120, 120]);
  expect(read(`[${'\\W'.repeat(1_000)}]`)?.ranges).toHaveLength(10);
  expect(read(`[${'\\p{Lu}'.repeat(1_000)}]`)?.properties).toHaveLength(1);
});

it('checking character properties counts as work', () => {
  const work = (source: string): number => {
    let sum = 0;
    new LinearPattern(source).test('-'.repeat(100), (each) => {
      sum += each;
    });
    return sum;
  };
  const scripts = ['Greek', 'Cyrillic', 'Arabic', 'Hebrew', 'Thai', 'Latin', 'Han', 'Hangul', 'Tamil', 'Khmer'];
  const many = `[${scripts.map((name) => `\\p{Script=${name}}`).join('')}]x`;
  expect(work(many)).toBeGreaterThan(10 * work('[a-z]x'));
});

it('the callback for the work can stop a test', () => {
  const pattern = new LinearPattern('^(a|b)*c$');
  expect(() =>
    pattern.test('a'.repeat(1_000), () => {
      throw new RangeError('enough');
    }),
  ).toThrow('enough');
});

it.each([
  ['^(?=.*a)b$', 'uses lookahead, which is not supported: it cannot be matched in bounded time'],
  ['a(?!b)', 'uses lookahead'],
  ['(?<=a)b', 'uses lookbehind'],
  ['(?<!a)b', 'uses lookbehind'],
  ['^(a)\\1$', 'uses a back reference'],
  ['^(?<x>a)\\k<x>$', 'uses a back reference'],
  ['(?i:a)', 'uses flags inside the pattern'],
  ...['\\c', 'a\\c1', '\\cé', '[\\c]', '[\\c1]', '[a\\c_]'].map((source): [string, string] => [
    source,
    'uses "\\c" without the letter of a control character after it; write "\\\\c" for a backslash and a c',
  ]),
  ['[\\1]', 'uses "\\1", an octal escape, which is not supported; write "\\x"'],
  ['[a\\12]', 'uses "\\12", an octal escape'],
  ['[\\8]', 'uses "\\8", an octal escape'],
  ['\\01', 'uses "\\01", an octal escape'],
  ['[\\07]', 'uses "\\07", an octal escape'],
  ['[', 'is not a regular expression: unterminated character class'],
  ['a(', 'is not a regular expression: unterminated group'],
  ['(?<x', 'is not a regular expression'],
  [`${'(a{1,100}){1,100}'.repeat(2)}`, 'repeats its parts more than 10000 times in all'],
  ['a'.repeat(10_001), 'is longer than 10000 characters'],
  ['('.repeat(300) + ')'.repeat(300), 'nests groups deeper than 200 levels'],
])('%j is rejected', (source, message) => {
  expect(() => new LinearPattern(source)).toThrow(message);
});

it.each([
  ['\\-a\\@b\\_', '-a@b_'],
  ['a{,2}', 'a{,2}'],
  ['{a}', '{a}'],
  ['[a.-\\s]+', 'a .-'],
  ['[a-\\d]+', '5-a'],
  ['[\\w-.]+', 'a-.b'],
])('the old syntax %s has its intended meaning', (source, text) => {
  expect(new LinearPattern(`^${source}$`).test(text)).toBe(true);
  expect(new LinearPattern(`^${source}$`).test(`${text}!`)).toBe(false);
});

it('earlier texts do not affect later matches', () => {
  const pattern = new LinearPattern('^(a|ab)*c$');
  const given = ['abac', 'ab', 'c', '', 'aabc', 'abac'];
  expect(given.map((text) => pattern.test(text))).toEqual([true, false, true, false, true, true]);
});
