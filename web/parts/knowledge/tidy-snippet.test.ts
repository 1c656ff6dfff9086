import { expect, it } from 'vitest';
import { tidySnippet } from './tidy-snippet.ts';

it.each([
  ['## **Roll** back Before ```sh deploy ``` after', 'guide.md', ' **Roll** back Before  deploy  after'],
  ['# Title text', 'page.HTML', 'Title text'],
  ['issue #12 and C# stay', 'guide.md', 'issue #12 and C# stay'],
  ['# a comment', 'tool.py', '# a comment'],
  ['# a comment', 'Makefile', '# a comment'],
])('%j of %s reads %j', (snippet, sourceId, tidy) => {
  expect(tidySnippet(snippet, sourceId)).toBe(tidy.trimStart());
});
