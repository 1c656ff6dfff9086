import { expect, it } from 'vitest';
import { prepareDocument } from '../prepare-document.ts';

const sentence = 'A sentence of ten words stands here to fill some space.';
const filler = (sentences: number) => Array.from({ length: sentences }, () => sentence).join(' ');
const prepare = (content: string, maxTokens = 100, overlapTokens = 0) =>
  prepareDocument({ name: 'docs/getting_started-guide.md', content }, { maxTokens, overlapTokens });

it('the title comes from the front matter, else the first level-1 heading, else the name', async () => {
  expect((await prepare('---\ntitle: Front\n---\n# Head')).title).toBe('Front');
  expect((await prepare('## Two\n\n# One `code` [link](x) #')).title).toBe('One code link');
  expect((await prepare('Text')).title).toBe('Getting started guide');
});

it('front matter is not part of passages, and line numbers are those of the file', async () => {
  const { body, chunks, tags, metadata } = await prepare('---\ntags: a, b\ndate: 2026-01-01\n---\n\n# Head\n\nText');
  expect(body).toContain('tags: a, b');
  expect([tags, metadata]).toEqual([['a', 'b'], { date: '2026-01-01' }]);
  expect(chunks).toMatchObject([{ startLine: 6, endLine: 8, text: '# Head\n\nText', heading: ['Head'] }]);
});

it('each large section is a passage under its headings', async () => {
  const { chunks } = await prepare(
    `# A\n\n${filler(6)}\n\n## B\n\n${filler(4)}\n\n### C\n\n${filler(4)}\n\n## D\n\n${filler(4)}`,
  );
  expect(chunks.map(({ heading, startLine, endLine }) => [heading, startLine, endLine])).toEqual([
    [['A'], 1, 3],
    [['A', 'B'], 5, 7],
    [['A', 'B', 'C'], 9, 11],
    [['A', 'D'], 13, 15],
  ]);
});

it('small sections under one parent are joined up to half of the limit', async () => {
  const { chunks } = await prepare(
    `# A\n\n## B\n\n${sentence}\n\n## C\n\n${sentence}\n\n## D\n\n${sentence}\n\n## E\n\n${sentence}`,
  );
  expect(chunks.map(({ heading, startLine, endLine }) => [heading, startLine, endLine])).toEqual([
    [['A'], 1, 13],
    [['A', 'E'], 15, 17],
  ]);
  for (const chunk of chunks) expect(chunk.tokens).toBeLessThanOrEqual(50);
});

it('a heading without text joins the first section under it', async () => {
  const { chunks } = await prepare(`# A\n\n## B\n\n${filler(5)}\n\n## C\n\n${filler(5)}`);
  expect(chunks.map(({ heading, startLine }) => [heading, startLine])).toEqual([
    [['A', 'B'], 1],
    [['A', 'C'], 7],
  ]);
});

it('a section that is too large is cut between sentences, and each passage repeats the end of the one before', async () => {
  const text = Array.from({ length: 30 }, (_, index) => `Sentence number ${index} says something of its own.`).join(
    ' ',
  );
  const { chunks } = await prepare(`# A\n\n${text}`, 100, 30);
  expect(chunks.length).toBeGreaterThan(2);
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk.text).toMatch(/own\.$/);
    const before = chunks[index - 1];
    if (!before) continue;
    expect(chunk.text).toMatch(/^Sentence number/);
    const first = chunk.text.slice(0, chunk.text.indexOf('.') + 1);
    expect(before.text).toContain(first);
  }
});

it('nothing is repeated across headings', async () => {
  const { chunks } = await prepare(`# A\n\n${filler(6)}\n\n# B\n\n${filler(6)}`, 100, 30);
  expect(chunks.map((chunk) => chunk.text.slice(0, 3))).toEqual(['# A', '# B']);
});

it('a fence that fits is never cut, and others are cut between lines and closed again', async () => {
  const code = (lines: number) => Array.from({ length: lines }, (_, index) => `  call(${index}, "value");`).join('\n');
  const whole = `\`\`\`js\n${code(8)}\n\`\`\``;
  const { chunks } = await prepare(`# A\n\n${filler(6)}\n\n${whole}\n\n${filler(6)}`);
  expect(chunks.filter((chunk) => chunk.text.includes('```')).map((chunk) => chunk.text.includes(whole))).toEqual([
    true,
  ]);

  const large = await prepare(`# A\n\n\`\`\`js title="x"\n${code(60)}\n\`\`\`\n\nAfter.`);
  expect(large.chunks.length).toBeGreaterThan(4);
  for (const chunk of large.chunks) {
    expect(chunk.text.match(/^```js title="x"$/gm)).toHaveLength(1);
    expect(chunk.text.match(/^```$/gm)).toHaveLength(1);
    expect(chunk.text).not.toMatch(/```js title="x"\n```/);
  }
});

it('a table that is cut repeats its header', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => `| key ${index} | some value ${index} |`).join('\n');
  const { chunks } = await prepare(`| Key | Value |\n| --- | --- |\n${rows}`);
  expect(chunks.length).toBeGreaterThan(3);
  for (const chunk of chunks) expect(chunk.text).toMatch(/^\| Key \| Value \|\n\| --- \| --- \|\n\| key \d+/);
});

it('a list that is cut is cut between its items', async () => {
  const items = Array.from({ length: 40 }, (_, index) => `- item ${index} with words\n  - inner ${index}`).join('\n');
  const { chunks } = await prepare(items);
  expect(chunks.length).toBeGreaterThan(3);
  for (const chunk of chunks) expect(chunk.text).toMatch(/^- item/);
});
