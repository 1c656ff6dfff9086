import { expect, it } from 'vitest';
import { tidySnippet } from './tidy-snippet.ts';

it.each([
  ['## **Roll** back Before ```sh deploy ``` after', 'guide.md', '**Roll** back Before · deploy · after'],
  ['One. ```sh deploy ``` ## Two', 'guide.md', 'One. · deploy · Two'],
  ['# Title text', 'page.HTML', 'Title text'],
  ['issue #12 and C# stay', 'guide.md', 'issue #12 and C# stay'],
  ['# a comment', 'tool.py', '# a comment'],
  ['# a comment', 'Makefile', '# a comment'],
])('%j of %s reads %j', (snippet, sourceId, tidy) => {
  expect(tidySnippet(snippet, sourceId)).toBe(tidy);
});

it.each([
  ['## Roll back Before you', 'Roll back', 'Before you'],
  ['## **Roll** back **Before** you', 'Roll back', '**Before** you'],
  ['## Roll **back** Before you', 'Roll back', 'Before you'],
  ['## **Roll back before** you', 'Roll back', '**Roll back before** you'],
  ['## Roll backwards', 'Roll back', 'Roll backwards'],
  ['## Roll back', 'Roll back', 'Roll back'],
  ['Roll back Before you', 'Roll back', 'Roll back Before you'],
])('%j below the heading %j reads %j', (snippet, heading, tidy) => {
  expect(tidySnippet(snippet, 'guide.md', heading)).toBe(tidy);
});
