import fc from 'fast-check';

/** Generates Markdown as people and machines write it, in random order. */

const word = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z]{1,9}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '**bold**',
      '`code`',
      '[a](b)',
      'größer',
      '東京都庁',
      '😀',
      'x_y',
      '3.5',
      'e.g.',
      '<b>',
      '|',
    ),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-zA-Z0-9_.-]{20,120}$/) },
);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 14 }), fc.constantFrom('.', '.', '!', '?', '。', ''))
  .map(([words, end]) => words.join(' ') + end);
const line = fc.array(sentence, { minLength: 1, maxLength: 3 }).map((sentences) => sentences.join(' '));
const paragraph = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));
const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), sentence)
  .map(([level, title]) => `${'#'.repeat(level)} ${title}`);
const setext = fc.tuple(sentence, fc.constantFrom('===', '---')).map(([title, rule]) => `${title}\n${rule}`);
const codeLine = fc.oneof(
  line,
  fc.constantFrom('', '# no heading', '- no item', 'function a() {', '  return 1;', '}', '| no | table |', '~~~'),
);
const fence = fc
  .tuple(fc.constantFrom('```', '````', '```js', '```ts title="a b"'), fc.array(codeLine, { maxLength: 14 }))
  .map(([open, lines]) => [open, ...lines, open.replace(/[^`]/g, '')].join('\n'));
const table = fc
  .array(fc.tuple(sentence, word), { minLength: 1, maxLength: 12 })
  .map((rows) => ['| A | B |', '|---|:-:|', ...rows.map(([a, b]) => `| ${plain(a)} | ${plain(b)} |`)].join('\n'));
const item = fc
  .tuple(fc.constantFrom('- ', '* ', '1. ', '  - ', '    - '), sentence)
  .map(([marker, text]) => marker + text);
const list = fc.array(item, { minLength: 1, maxLength: 12 }).map((items) => items.join('\n'));
const indented = (block: fc.Arbitrary<string>) => block.map((text) => `- item\n\n${text.replace(/^(?=.)/gm, '  ')}`);
const quoted = (block: fc.Arbitrary<string>) => block.map((text) => text.replace(/^/gm, '> '));
const html = fc.constantFrom(
  '<div>\n# no heading\n</div>',
  '<!-- a\n\n# no heading\n-->',
  '<details>\n<summary>x</summary>',
);

const block = fc.oneof(
  { weight: 5, arbitrary: paragraph },
  { weight: 4, arbitrary: heading },
  { weight: 1, arbitrary: setext },
  { weight: 3, arbitrary: fence },
  { weight: 2, arbitrary: table },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: indented(fence) },
  { weight: 1, arbitrary: indented(fc.tuple(paragraph, fence, paragraph).map((parts) => parts.join('\n\n'))) },
  { weight: 1, arbitrary: indented(paragraph) },
  { weight: 1, arbitrary: quoted(fence) },
  { weight: 1, arbitrary: quoted(paragraph) },
  { weight: 1, arbitrary: html },
  { weight: 1, arbitrary: fc.constantFrom('---', '***', '    code\n    more', '') },
);

export const arbitraryMarkdown = fc
  .tuple(
    fc.array(block, { minLength: 1, maxLength: 14 }),
    fc.constantFrom('', '', '', '\n\n```\nnever closed\n', '\n\n> ```\n> open'),
  )
  .map(([blocks, end]) => blocks.join('\n\n') + end);

/** Generates random characters, for texts that nobody writes. */
export const arbitrarySigns = fc
  .array(
    fc.constantFrom(
      '#',
      '## ',
      '```',
      '~~~',
      '- ',
      '1. ',
      '> ',
      '    ',
      '  ',
      '\t',
      '\n',
      '\n',
      '\n\n',
      '---',
      '===',
      '|',
      '|-|',
      'a',
      'b c',
      '<div>',
      '<!--',
      '-->',
      '`',
      '* ',
      '+',
    ),
    { maxLength: 60 },
  )
  .map((signs) => signs.join(''));

export const arbitraryProse = fc
  .array(paragraph, { minLength: 1, maxLength: 10 })
  .map((paragraphs) => paragraphs.join('\n\n'));

function plain(text: string): string {
  return text.replaceAll('|', '');
}
