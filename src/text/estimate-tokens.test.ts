import fc from 'fast-check';
import { expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

it('appended text never makes the estimate smaller, and never adds more than its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, more) => {
      const both = estimateTokens(text + more);
      expect(both).toBeGreaterThanOrEqual(estimateTokens(text));
      expect(both).toBeLessThanOrEqual(estimateTokens(text) + estimateTokens(more));
    }),
  );
});

it.each([
  ['English', 'The quick brown fox jumps over the lazy dog and then goes home to sleep.', 3.6, 4.8],
  ['code', 'const total = items.reduce((sum, { price }) => sum + price * rate, 0);', 2.2, 3.6],
  ['Chinese', '知识库保存文档并按段落搜索', 0.7, 1.2],
  ['Russian', 'Быстрая лиса прыгает через собаку', 1.8, 2.6],
])('characters a token in %s', (_, text, least, most) => {
  const ratio = text.length / estimateTokens(text);
  expect(ratio).toBeGreaterThan(least);
  expect(ratio).toBeLessThan(most);
});
