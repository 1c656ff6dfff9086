import fc from 'fast-check';
import { expect, it } from 'vitest';
import { topHeadings, wholeFences } from '../../../test/support/docs/markdown-fences.ts';
import { arbitraryMarkdown, arbitrarySigns } from '../../../test/support/knowledge/arbitrary-markdown.ts';
import { readLines } from '../text-lines.ts';
import { readMarkdownBlocks } from './markdown-blocks.ts';

it('headings and fences are found where a full Markdown parser finds them', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryMarkdown, arbitrarySigns), (markdown) => {
      const { blocks, fences } = readMarkdownBlocks(readLines(markdown));
      // The parser knows no tables.
      fc.pre(!blocks.some((block) => block.kind === 'table'));
      const headings = blocks.filter((block) => block.kind === 'heading');
      expect(headings.map(({ level, start }) => [level, start + 1])).toEqual(topHeadings(markdown));
      expect(fences.map((fence) => fence.start + 1)).toEqual(wholeFences(markdown).map((fence) => fence.startLine));
    }),
    { numRuns: 1_000, endOnFailure: true },
  );
});
