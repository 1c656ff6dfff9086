import { expect, it } from 'vitest';
import { shownIssues } from './shown-issues.ts';

const issues = [
  { path: 'query', message: 'is required' },
  { path: 'limit', message: 'must be at most 20' },
];

it('a field complains once it was left', () => {
  const shown = shownIssues({ issues, touched: new Set(['limit']), value: { limit: 30 }, answered: undefined });
  expect([...shown]).toEqual([['limit', 'must be at most 20']]);
});

it('what the hub refused stands at its field until that field changes', () => {
  const answered = {
    input: { filters: { tags: ['x', ''] }, limit: 1 },
    issues: [{ path: 'filters.tags[1]', message: 'must not be empty.' }],
  };
  const shown = (value: unknown) => [...shownIssues({ issues: [], touched: new Set(), value, answered })];
  expect(shown({ filters: { tags: ['x', ''] }, limit: 2 })).toEqual([['filters.tags.1', 'must not be empty']]);
  expect(shown({ filters: { tags: ['x', 'y'] }, limit: 1 })).toEqual([]);
});

it('where both complain the hub is heard', () => {
  const answered = { input: {}, issues: [{ path: 'query', message: 'Required' }] };
  expect([...shownIssues({ issues, touched: new Set(['query']), value: {}, answered })]).toEqual([
    ['query', 'Required'],
  ]);
});
