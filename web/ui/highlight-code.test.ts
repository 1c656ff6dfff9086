import fc from 'fast-check';
import { expect, it } from 'vitest';
import { highlightCode } from './highlight-code.ts';

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
  ['klingon', 'const a', []],
])('%s', (language, code, tokens) => {
  expect(marked(code, language)).toEqual(tokens);
});

it('keeps every character of any text, quickly', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300 }),
      fc.constantFrom('ts', 'python', 'sql', 'html', 'lua', 'diff'),
      (code, language) => {
        expect(
          highlightCode(code, language)
            .map(({ text }) => text)
            .join(''),
        ).toBe(code);
      },
    ),
  );
  for (const hostile of ['"', "'", '/*', '`\\', '<!--', '"""', '1'].map((text) => text.repeat(20_000 / text.length)))
    expect(
      highlightCode(hostile, 'ts')
        .map(({ text }) => text)
        .join(''),
    ).toBe(hostile);
});
