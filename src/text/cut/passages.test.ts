import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openFences, wholeFences } from '../../../test/support/docs/markdown-fences.ts';
import {
  arbitraryBraceCode,
  arbitraryCodeSigns,
  arbitraryIndentCode,
} from '../../../test/support/knowledge/arbitrary-code.ts';
import {
  arbitraryMarkdown,
  arbitraryProse,
  arbitrarySigns,
} from '../../../test/support/knowledge/arbitrary-markdown.ts';
import type { Chunk, PreparedDocument } from '../../knowledge/document.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { prepareDocument } from '../prepare-document.ts';

const limits = fc.record({
  maxTokens: fc.integer({ min: 32, max: 160 }),
  overlapTokens: fc.integer({ min: 0, max: 60 }),
});
/** Making a failing document smaller takes longer than the test may; the seed in the message brings it back. */
const endOnFailure = true;
const anySigns = fc.oneof(arbitrarySigns, arbitraryCodeSigns);

const kinds: [name: string, content: fc.Arbitrary<string>][] = [
  ['a.md', arbitraryMarkdown],
  ['signs.md', anySigns],
  ['a.txt', arbitraryProse],
  ['markdown.txt', arbitraryMarkdown],
  ['a.ts', arbitraryBraceCode],
  ['a.py', arbitraryIndentCode],
  ['a.yaml', arbitraryIndentCode],
  ['a.toml', arbitraryMarkdown],
  ['a.csv', arbitraryProse],
  ['a.log', arbitraryProse],
  ['signs.ts', anySigns],
  ['signs.py', anySigns],
  ['signs.json', anySigns],
  ['signs.csv', anySigns],
];

describe.each(kinds)('the passages of %s', (name, content) => {
  it('fit, match their lines, cover every line, and are reproducible', async () => {
    await fc.assert(
      fc.asyncProperty(content, limits, async (text, options) => {
        const document = await prepareDocument({ name, content: text }, options);
        for (const chunk of document.chunks) {
          expect(chunk.tokens).toBeLessThanOrEqual(options.maxTokens);
          expect(chunk.tokens).toBe(estimateTokens(chunk.text));
          expect(chunk.text.trim()).not.toBe('');
          expectInLines(document, chunk);
        }
        expectAscending(document.chunks);
        expectCovered(document);
        expect(await prepareDocument({ name, content: text }, options)).toEqual(document);
      }),
      { numRuns: 150, endOnFailure },
    );
  });
});

describe('the passages of Markdown', () => {
  it('leave no fence open and cut none that fits', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryMarkdown, limits, async (text, options) => {
        const { body, chunks } = await prepareDocument({ name: 'a.md', content: text }, options);
        for (const chunk of chunks) expect(openFences(chunk.text)).toEqual([]);
        for (const fence of wholeFences(body)) {
          if (estimateTokens(fence.text) > options.maxTokens) continue;
          const touching = chunks.filter(
            (chunk) => chunk.startLine <= fence.endLine && chunk.endLine >= fence.startLine,
          );
          expect(touching.length).toBeGreaterThan(0);
          for (const chunk of touching) expect(chunk.text).toContain(fence.text);
        }
      }),
      { numRuns: 300, endOnFailure },
    );
  });
});

/** The text stands in its lines, but for what makes a cut fence or table whole again around it. */
function expectInLines({ body }: PreparedDocument, chunk: Chunk): void {
  const range = body
    .split('\n')
    .slice(chunk.startLine - 1, chunk.endLine)
    .join('\n');
  const lines = chunk.text.split('\n');
  const candidates = [0, 1, 2].flatMap((head) =>
    [0, 1].map((tail) => lines.slice(head, lines.length - tail).join('\n')),
  );
  const core = candidates.find(
    (each) => each !== '' && (range.includes(each) || range.includes(each.replace(/^[\s>]+/, ''))),
  );
  if (core === undefined) expect.fail(`${JSON.stringify(chunk)} is not in its lines:\n${range}`);
}

function expectAscending(chunks: readonly Chunk[]): void {
  chunks.forEach((chunk, index) => {
    expect(chunk.ordinal).toBe(index);
    expect(chunk.endLine).toBeGreaterThanOrEqual(chunk.startLine);
    const before = chunks[index - 1];
    if (!before) return;
    expect(chunk.startLine).toBeGreaterThanOrEqual(before.startLine);
    expect(chunk.endLine).toBeGreaterThanOrEqual(before.endLine);
    // What is repeated is repeated under the same heading only.
    if (chunk.startLine <= before.endLine) expect(chunk.heading).toEqual(before.heading);
  });
}

/** Every word of every line is in a passage that claims the line; a word that is too long may be so in pieces. */
function expectCovered({ body, chunks }: PreparedDocument): void {
  body.split('\n').forEach((line, index) => {
    const claiming = chunks.filter((chunk) => chunk.startLine <= index + 1 && chunk.endLine >= index + 1);
    for (const word of line.split(/\s+/).filter((each) => each !== '')) {
      let left = word;
      for (let pieces = 0; left !== '' && pieces < 3 + word.length / 4; pieces += 1) {
        let length = left.length;
        while (length > 0 && !claiming.some((chunk) => chunk.text.includes(left.slice(0, length)))) length -= 1;
        left = left.slice(length);
      }
      if (left !== '') expect.fail(`line ${index + 1}, ${JSON.stringify(line)}, lost ${JSON.stringify(word)}`);
    }
  });
}
