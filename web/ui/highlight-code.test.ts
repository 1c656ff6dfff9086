import fc from 'fast-check';
import { expect, it } from 'vitest';
import { highlightCode } from './highlight-code.ts';

const languages = 'ts python rust bash sql json yaml html css lua ruby diff'.split(' ');
/** Repeated, some of them are hostile. */
const units = [
  ...[
    'a.',
    'a-',
    '$.',
    '.',
    '-',
    'a_',
    'a',
    'é',
    '1',
    '1.',
    '1e',
    '0x',
    'a(',
    'a:',
    'a =',
    '@',
    '\\',
    ' ',
    '\n',
    '+\n',
  ],
  ...[
    '"',
    "'",
    "''",
    '"""',
    '`',
    '`\\',
    '//',
    '/*',
    '#',
    ' #',
    '--',
    '--[[',
    '[[',
    '<',
    '</',
    '<!--',
    '>',
    '="',
    '= ',
    '@@',
  ],
];

const marked = (code: string, language: string) =>
  highlightCode(code, language).flatMap(({ kind, text }) => (kind === null ? [] : [`${kind} ${text}`]));

it.each([
  ['ts', "const a = f('x'); // 1", ['keyword const', 'name f', "string 'x'", 'comment // 1']],
  [
    'python',
    'def f():\n  return """a\nb""" # c',
    ['keyword def', 'name f', 'keyword return', 'string """a\nb"""', 'comment # c'],
  ],
  ['rust', "fn f<'a>() -> u8 { 0x1f }", ['keyword fn', 'number 0x1f']],
  ['sql', "SELECT 'it''s' FROM t -- all", ['keyword SELECT', "string 'it''s'", 'keyword FROM', 'comment -- all']],
  ['bash', 'if [ "$#" -eq 2 ]; then # two', ['keyword if', 'string "$#"', 'number 2', 'keyword then', 'comment # two']],
  ['json', '{"a": [1, true]}', ['string "a"', 'number 1', 'keyword true']],
  ['yaml', 'name: x # y', ['name name', 'comment # y']],
  ['html', '<a href="x">y</a>', ['keyword <a', 'string "x"', 'keyword >', 'keyword </a>']],
  ['diff', '@@ 1 @@\n-a\n+b\n c', ['comment @@ 1 @@', 'removed -a', 'added +b']],
  ['html', "<p>It's</p> <a b = 'c'>", ['keyword <p>', 'keyword </p>', 'keyword <a', "string 'c'", 'keyword >']],
  ['yaml', "url: http://a/#frag\nnote: it's # so", ['name url', 'name http', 'name note', 'comment # so']],
  ['yaml', "a.b: 'x'\nc: true\nd: 1.5", ['name a.b', "string 'x'", 'name c', 'keyword true', 'name d', 'number 1.5']],
  ['css', '@media x { color: rgb(1) }', ['keyword @media', 'name color', 'name rgb', 'number 1']],
  ['klingon', 'const a', []],
])('%s', (language, code, tokens) => {
  expect(marked(code, language)).toEqual(tokens);
});

it('keeps every character of any text', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.array(fc.constantFrom(...units)).map((each) => each.join('')),
  );
  fc.assert(
    fc.property(text, fc.constantFrom(...languages), (code, language) => {
      const texts = highlightCode(code, language).map((token) => token.text);
      expect(texts.join('')).toBe(code);
    }),
  );
});

it.each(languages)('%s: the work grows with the length of the code, whatever it contains', (language) => {
  const works = units.map((unit) => {
    const code = unit.repeat(600 / unit.length);
    return { unit, isLinear: workOf(code, language) < 30 * code.length };
  });
  expect(works.filter(({ isLinear }) => !isLinear)).toEqual([]);
});

it('leaves very long code as it is', () => {
  expect(highlightCode('1'.repeat(20_001), 'ts')).toHaveLength(1);
  expect(workOf('1 '.repeat(20_001), 'ts')).toBe(0);
});

/** Counts the characters that all patterns look at. A failed lookahead has looked at everything before it. */
function workOf(code: string, language: string): number {
  const { exec } = RegExp.prototype;
  const withoutLookahead = new Map<string, RegExp>();
  let work = 0;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const { source, flags, lastIndex } = this;
    const end = source.endsWith(')') ? source.lastIndexOf('(?=') : -1;
    const pattern = withoutLookahead.get(source) ?? new RegExp(end === -1 ? source : source.slice(0, end), flags);
    withoutLookahead.set(source, pattern);
    pattern.lastIndex = lastIndex;
    work += 1 + (exec.call(pattern, text)?.[0].length ?? 0);
    return exec.call(this, text);
  };
  try {
    highlightCode(code, language);
  } finally {
    RegExp.prototype.exec = exec;
  }
  return work;
}
