import { describe, expect, it } from 'vitest';
import { hasDefinitions, markdownBlocks } from './markdown-blocks.ts';

describe('a growing answer', () => {
  it.each([
    ['paragraphs', 'One.\n\nTwo\nlines.\n\n\nThree.', ['One.\n\n', 'Two\nlines.\n\n\n', 'Three.']],
    ['code with empty lines', '```ts\na\n\nb\n```\n\nAfter.', ['```ts\na\n\nb\n```\n\n', 'After.']],
    ['unclosed code', 'Look:\n\n```\na\n\nb', ['Look:\n\n', '```\na\n\nb']],
    ['a fence in a longer fence', '````\n```\n\n```\n\nx\n````\n\ny', ['````\n```\n\n```\n\nx\n````\n\n', 'y']],
    ['a list with indented content', '1. a\n\n   more\n\n2. b\n\nAfter.', ['1. a\n\n   more\n\n2. b\n\n', 'After.']],
    ['a code block in a list', '- a\n\n  ```\n  x\n\ny\n  ```\n\nz', ['- a\n\n  ```\n  x\n\ny\n  ```\n\n', 'z']],
    ['inline code', '```x``` is code\n\nAfter.', ['```x``` is code\n\n', 'After.']],
    ['no text', '', []],
  ])('is split around %s', (_, text, blocks) => {
    expect(markdownBlocks(text)).toEqual(blocks);
  });

  it('changes only its last block when text is appended', () => {
    const text =
      '# Title\n\nSome *words*.\n\n- a\n\n- b\n\n```js\nx\n\ny\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd.';
    let before: string[] = [];
    for (let length = 1; length <= text.length; length += 1) {
      const blocks = markdownBlocks(text.slice(0, length));
      expect(blocks.join('')).toBe(text.slice(0, length));
      expect(blocks.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = blocks;
    }
    expect(before).toHaveLength(6);
  });

  it('splits a very long list between its items', () => {
    const text = Array.from({ length: 400 }, (_, index) => `- item ${index} of a long list\n\n`).join('');
    expect(markdownBlocks(text).length).toBeGreaterThan(2);
  });
});

it('detects link definitions', () => {
  expect(hasDefinitions('See [the page][1].\n\n[1]: https://example.com')).toBe(true);
  expect(hasDefinitions('See [the page](https://example.com): fine')).toBe(false);
});
