import { expect, it } from 'vitest';
import { shownIssues } from './shown-issues.ts';

const issues = [
  { path: 'query', message: 'is required' },
  { path: 'limit', message: 'must be at most 20' },
];

it('a form issue shows once its field was left', () => {
  const shown = shownIssues({ issues, touched: new Set(['limit']), value: { limit: 30 }, rejected: undefined });
  expect([...shown]).toEqual([['limit', 'must be at most 20']]);
});

it('a hub issue shows until its field changes', () => {
  const rejected = {
    input: { filters: { tags: ['x', ''] }, limit: 1 },
    issues: [{ path: 'filters.tags[1]', message: 'must not be empty.' }],
  };
  const shown = (value: unknown) => [...shownIssues({ issues: [], touched: new Set(), value, rejected })];
  expect(shown({ filters: { tags: ['x', ''] }, limit: 2 })).toEqual([['filters.tags.1', 'must not be empty']]);
  expect(shown({ filters: { tags: ['x', 'y'] }, limit: 1 })).toEqual([]);
});

it('a hub issue takes precedence', () => {
  const rejected = { input: {}, issues: [{ path: 'query', message: 'Required' }] };
  expect([...shownIssues({ issues, touched: new Set(['query']), value: {}, rejected })]).toEqual([
    ['query', 'Required'],
  ]);
});
