import { describe, expect, it } from 'vitest';
import { prepareDocument } from './prepare-document.ts';

/** A megabyte each of what takes a careless reader minutes; here the test's own time limit would end it. */
const hostile: [string, string][] = [
  ['brackets', '['.repeat(1_000_000)],
  ['lines of brackets', '[\n'.repeat(500_000)],
  ['one line of words', 'word '.repeat(200_000)],
  ['one word', 'x'.repeat(1_000_000)],
  ['one line of sentences', 'Abc def. '.repeat(110_000)],
  ['quotations in quotations', `${'>'.repeat(50_000)}\n`.repeat(20)],
  ['items in items on one line', `${'- '.repeat(50_000)}\n${'\n'.repeat(900_000)}`],
  ['lists in lists', Array.from({ length: 1_400 }, (_, indent) => `${' '.repeat(indent)}- x`).join('\n')],
  ['blocks in blocks', '{\n'.repeat(250_000) + '}\n'.repeat(250_000)],
  ['fences', '```\n'.repeat(250_000)],
  ['an endless fence', `\`\`\`js\n${'abc def\n'.repeat(120_000)}`],
  ['headings', '# a\n'.repeat(250_000)],
  ['rows', `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(160_000)}`],
  ['quotes', '"\n'.repeat(500_000)],
  ['templates', String.fromCharCode(96, 36, 123).repeat(330_000)],
  ['blank lines', '\n'.repeat(1_000_000)],
  ['open tags', '<b>x'.repeat(200_000)],
  ['tags in tags', '<ul><li>'.repeat(120_000)],
  ['nested layout', ('<div>'.repeat(190) + '</div>'.repeat(190)).repeat(400)],
  ['signs that are no tags', '<'.repeat(1_000_000)],
  ['signs that are no entities', '&'.repeat(1_000_000)],
];

describe.each(['md', 'txt', 'ts', 'py', 'json', 'csv', 'html'])(
  'hostile .%s files are cut in linear time',
  (extension) => {
    it.each(hostile)('%s', async (_, content) => {
      const { body, chunks } = await prepareDocument(
        { name: `a.${extension}`, content },
        { maxTokens: 700, overlapTokens: 80 },
      );
      expect(Math.max(0, ...chunks.map((chunk) => chunk.tokens))).toBeLessThanOrEqual(700);
      // Nothing multiplies: overlap and repeated headers add less than the text itself.
      const size = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
      expect(size).toBeLessThanOrEqual(body.length * 2);
    });
  },
);
