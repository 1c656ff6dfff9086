import type { SearchFilters, SearchMode, SearchRequest } from '../../../src/knowledge/search/search-request.ts';

/** The search parameters in the URL. Defaults are left out. */
export interface KnowledgeSearch {
  q?: string;
  mode?: SearchMode;
  source?: string;
  /** A day, such as 2026-01-31. */
  since?: string;
  until?: string;
  /** Separated by commas. */
  tags?: string;
}

/** Reads the URL and drops unknown parameters. */
export function knowledgeSearch(search: Record<string, unknown>): KnowledgeSearch {
  const { mode } = search;
  return {
    ...wordsIn(search, 'q'),
    ...((mode === 'keyword' || mode === 'semantic' || mode === 'hybrid') && { mode }),
    ...wordsIn(search, 'source'),
    ...dayIn(search, 'since'),
    ...dayIn(search, 'until'),
    ...wordsIn(search, 'tags'),
  };
}

/** Returns the request, or null without search words. */
export function toSearchRequest(search: KnowledgeSearch, limit: number): SearchRequest | null {
  const query = search.q?.trim() ?? '';
  if (query === '') return null;
  const tags = splitTags(search.tags ?? '');
  const filters: Partial<SearchFilters> = {
    ...(search.source && { source: [search.source] }),
    ...(search.since && { since: search.since }),
    ...(search.until && { until: search.until }),
    ...(tags.length > 0 && { tags }),
  };
  return {
    query,
    limit,
    explain: true,
    ...(search.mode && { mode: search.mode }),
    ...(Object.keys(filters).length > 0 && { filters }),
  };
}

export function countFilters({ source, since, until, tags }: KnowledgeSearch): number {
  return [source, since, until, splitTags(tags ?? '').length > 0].filter(Boolean).length;
}

export function splitTags(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))].slice(0, 50);
}

// The router reads ?q=42 as a number.
function wordsIn<K extends string>(search: Record<string, unknown>, key: K): { [each in K]?: string } {
  const value = search[key];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  // A computed key widens to an index signature; it is the one key asked for.
  return (text === '' ? {} : { [key]: text }) as { [each in K]?: string };
}

function dayIn<K extends string>(search: Record<string, unknown>, key: K): { [each in K]?: string } {
  return /^\d{4}-\d{2}-\d{2}$/.test(String(search[key])) ? wordsIn(search, key) : {};
}
