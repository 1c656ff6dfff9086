import { describe, expect, it } from 'vitest';
import { markedParts } from './marked-text.tsx';

const written = (snippet: string) =>
  markedParts(snippet)
    .map(({ text, marked }) => (marked ? `[${text}]` : text))
    .join('|');

describe('markedParts', () => {
  it.each([
    ['', ''],
    ['no marks', 'no marks'],
    ['**Roll** back the **deploy**', '[Roll]| back the |[deploy]'],
    ['two **words\nover lines** here', 'two |[words\nover lines]| here'],
    ['a ** alone', 'a ** alone'],
    ['**open and **closed** rest', '[open and ]|closed** rest'],
    ['<script>**x**</script>', '<script>|[x]|</script>'],
  ])('splits %j into %j', (snippet, parts) => {
    expect(written(snippet)).toBe(parts);
  });
});
