import { expect, it } from 'vitest';
import { mailSearch, toMailFilter } from './mail-search.ts';

it.each([
  [{}, {}],
  [
    { show: 'unread', q: 42, to: '' },
    { show: 'unread', q: '42', to: '' },
  ],
  [
    { show: 'all', q: '', to: 'worker-1', extra: 1 },
    { show: 'all', to: 'worker-1' },
  ],
  [{ show: 'everything', q: ['a'] }, {}],
])('the URL parameters %j become %j', (search, expected) => {
  expect(mailSearch(search)).toEqual(expected);
});

it.each([
  [undefined, '  ', {}],
  ['unread', '', { unread: true }],
  ['escalations', 'redis', { all: true, escalations: true, text: 'redis' }],
  ['all', ' redis ', { all: true, text: 'redis' }],
] as const)('"%s" with "%s" requests %j', (show, words, expected) => {
  expect(toMailFilter(show, words)).toEqual(expected);
});
