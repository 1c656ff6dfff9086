import { expect, it } from 'vitest';
import { entryOf } from './new-version.ts';

it.each([
  [
    '<script src="/early.js"></script><script type="module" crossorigin src="/assets/index-a1.js"></script>',
    '/assets/index-a1.js',
  ],
  ['<script src="/main.tsx" type="module"></script>', '/main.tsx'],
  ['<p>Sign in at the proxy</p>', undefined],
])('the app of %s is %s', (html, entry) => {
  expect(entryOf(html)).toBe(entry);
});
