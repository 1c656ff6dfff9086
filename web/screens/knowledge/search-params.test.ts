import { describe, expect, it } from 'vitest';
import { SearchRequest } from '../../../src/knowledge/search/search-request.ts';
import { countFilters, knowledgeSearch, splitTags, toSearchRequest } from './search-params.ts';

describe('the search URL', () => {
  it('drops unknown parameters', () => {
    expect(
      knowledgeSearch({ q: 42, mode: 'magic', source: 'git:docs', since: '2026-01-31', until: 'soon', x: 1 }),
    ).toEqual({ q: '42', source: 'git:docs', since: '2026-01-31' });
    expect(knowledgeSearch({ q: '', mode: 'semantic', tags: 'a,b' })).toEqual({ mode: 'semantic', tags: 'a,b' });
  });
});

describe('toSearchRequest', () => {
  it('returns null without words', () => {
    expect(toSearchRequest({}, 20)).toBeNull();
    expect(toSearchRequest({ q: '  ', source: 'git:docs' }, 20)).toBeNull();
  });

  it('returns a valid request', () => {
    const request = toSearchRequest(
      {
        q: ' roll back ',
        mode: 'hybrid',
        source: 'git:docs',
        since: '2026-01-01',
        until: '2026-02-01',
        tags: 'a, b,a',
      },
      20,
    );
    expect(request).toEqual({
      query: 'roll back',
      mode: 'hybrid',
      limit: 20,
      explain: true,
      filters: { source: ['git:docs'], since: '2026-01-01', until: '2026-02-01', tags: ['a', 'b'] },
    });
    expect(SearchRequest.safeParse(request).success).toBe(true);
    expect(toSearchRequest({ q: 'x' }, 20)).toEqual({ query: 'x', limit: 20, explain: true });
  });
});

it('counts the filters that are set', () => {
  expect(countFilters({ q: 'x', mode: 'keyword' })).toBe(0);
  expect(countFilters({ source: 'git:docs', until: '2026-02-01', tags: ' , ' })).toBe(2);
});

it('tags are trimmed and unique', () => {
  expect(splitTags(' ops, ,runbook,ops ')).toEqual(['ops', 'runbook']);
});
