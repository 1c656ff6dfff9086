import { describe, expect, it } from 'vitest';
import { prepareDocument } from './prepare-document.ts';

const fill = (unit: string) => (size: number) => unit.repeat(size / unit.length);

/** Texts of a given size on which a careless reader takes time that grows with the square of it. */
const hostile: [string, (size: number) => string][] = [
  ['brackets', fill('[')],
  ['lines of brackets', fill('[\n')],
  ['one line of words', fill('word ')],
  ['one word', fill('x')],
  ['one line of sentences', fill('Abc def. ')],
  ['quotations in quotations', (size) => `${'>'.repeat(size / 20)}\n`.repeat(20)],
  ['items in items on one line', (size) => `${'- '.repeat(size / 20)}\n${'\n'.repeat(size * 0.9)}`],
  [
    'lists in lists',
    (size) => Array.from({ length: Math.sqrt(2 * size) }, (_, indent) => `${' '.repeat(indent)}- x`).join('\n'),
  ],
  ['blocks in blocks', (size) => '{\n'.repeat(size / 4) + '}\n'.repeat(size / 4)],
  ['fences', fill('```\n')],
  ['an endless fence', (size) => `\`\`\`js\n${fill('abc def\n')(size)}`],
  ['headings', fill('# a\n')],
  ['rows', (size) => `|a|b|\n|-|-|\n${fill('|1|2|\n')(size)}`],
  ['quotes', fill('"\n')],
  ['templates', fill(String.fromCharCode(96, 36, 123))],
  ['blank lines', fill('\n')],
  ['open tags', fill('<b>x')],
  ['tags in tags', fill('<ul><li>')],
  ['nested layout', fill('<div>'.repeat(190) + '</div>'.repeat(190))],
  ['signs that are no tags', fill('<')],
  ['signs that are no entities', fill('&')],
];

const [small, large] = [50_000, 200_000];
/** Four times the text may take eight times as long, but not sixteen times. */
const maxRatio = 8;
/** CPU time is counted in steps of up to this. */
const stepMs = 10;
/** Below this, chance decides: if time grew with the square, a text of a megabyte would still take less than a second. */
const negligibleMs = 30;

describe.each(['md', 'txt', 'ts', 'py', 'json', 'csv', 'html'])(
  'hostile .%s files are cut in linear time',
  (extension) => {
    const prepare = (content: string) =>
      prepareDocument({ name: `a.${extension}`, content }, { maxTokens: 700, overlapTokens: 80 });

    it.each(hostile)('%s', async (_, ofSize) => {
      const content = ofSize(large);
      const first = await measure(() => prepare(content));
      const { body, chunks } = first.value;
      let long = first.cpuMs;
      expect(Math.max(0, ...chunks.map((chunk) => chunk.tokens))).toBeLessThanOrEqual(700);
      // Nothing multiplies: overlap and repeated headers add less than the text itself.
      const size = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
      expect(size).toBeLessThanOrEqual(body.length * 2);

      if (long < negligibleMs) return;
      let short = Number.POSITIVE_INFINITY;
      // Collections of garbage and other processes interfere, so one bad measurement proves nothing.
      for (let attempt = 0; attempt < 5; attempt += 1) {
        for (let time = 0; time < 2; time += 1) {
          const took = await measure(() => prepare(ofSize(small)));
          // The clock is exact and counts other processes, too; CPU time is the other way round.
          short = Math.min(short, took.clockMs, took.cpuMs + stepMs);
        }
        if (long < maxRatio * short + stepMs) break;
        long = Math.min(long, (await measure(() => prepare(content))).cpuMs);
      }
      expect(long).toBeLessThan(maxRatio * short + stepMs);
    });
  },
);

async function measure<T>(run: () => Promise<T>): Promise<{ value: T; clockMs: number; cpuMs: number }> {
  const began = performance.now();
  const before = process.threadCpuUsage();
  const value = await run();
  const { user, system } = process.threadCpuUsage(before);
  return { value, clockMs: performance.now() - began, cpuMs: (user + system) / 1_000 };
}
