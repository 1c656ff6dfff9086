import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type QueryOf, request } from './client.ts';
import { type DecisionLines, toLines } from './decision-lines.ts';

export type DecisionFilter = Omit<QueryOf<'GET /api/decisions'>, 'limit' | 'cursor' | 'after'>;

/**
 * Where a page begins: older ones go on from a cursor (null: at the newest), newer ones come after one, `except` those
 * (by number) that an earlier page had already.
 */
export type PagePlace = { cursor: string | null } | { after: string; except?: readonly number[] };

interface CountsRequest {
  since: number;
  until: number;
  stepMinutes: number;
  agentId?: string | undefined;
  tool?: string | undefined;
}

export const decisionPageSize = 200;

/**
 * Only what waits for news lives under `decisions`, which each live event makes old. What was written never changes, so
 * pages are kept as they are, and for a minute only: a person who scrolls far holds a few of them at a time.
 */
const keys = {
  tail: ['decisions', 'tail'] as const,
  pages: ['decision-pages'] as const,
  counts: ['decision-counts'] as const,
  call: (callId: string) => ['decision-call', callId] as const,
  entry: (seq: number) => ['decision-entry', seq] as const,
  tools: ['decision-tools'] as const,
};

export const decisionKeys = { counts: keys.counts, call: keys.call, tools: keys.tools };

export const decisionPageOptions = (filter: DecisionFilter, place: PagePlace, limit = decisionPageSize) =>
  queryOptions({
    queryKey: [...keys.pages, filter, place],
    queryFn: async ({ signal }) => {
      const except = 'after' in place ? (place.except ?? []) : [];
      const page = await fetchPage(filter, place, { limit: limit + except.length, signal });
      return newestFirst(toLines(page), place, except);
    },
    // Not even a lost connection makes it old.
    staleTime: 'static',
    gcTime: 60_000,
    structuralSharing: false,
  });

/** What came after the newest entry that is known; each live event asks again. Null: nothing is known yet, so all is new. */
export const decisionTailOptions = (filter: DecisionFilter, newest: string | null) =>
  queryOptions({
    queryKey: [...keys.tail, filter, newest],
    queryFn: async ({ signal }) => {
      const place = newest === null ? { cursor: null } : { after: newest };
      const page = await fetchPage(filter, place, { limit: decisionPageSize, signal });
      return newestFirst(toLines(page), place);
    },
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  });

function fetchPage(
  filter: DecisionFilter,
  place: PagePlace,
  { limit, signal }: { limit: number; signal: AbortSignal },
) {
  const from = 'after' in place ? { after: place.after } : { cursor: place.cursor };
  return request('GET /api/decisions', { query: { ...filter, ...from, limit }, signal });
}

function newestFirst(page: DecisionLines, place: PagePlace, except: readonly number[] = []): DecisionLines {
  if (!('after' in place)) return page;
  return { ...page, lines: page.lines.filter((line) => !except.includes(line.seq)).reverse() };
}

export const useDecisionCounts = (wanted: CountsRequest | null) =>
  useQuery({
    queryKey: [...keys.counts, wanted],
    queryFn: ({ signal }) => {
      const { since, until, stepMinutes, agentId, tool } = wanted ?? { since: 0, until: 60_000, stepMinutes: 1 };
      const range = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
      return request('GET /api/decisions/counts', { query: { ...range, step: stepMinutes, agentId, tool }, signal });
    },
    enabled: wanted !== null,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const useDecisionEntry = (seq: number | undefined) =>
  useQuery({
    queryKey: keys.entry(seq ?? 0),
    queryFn: ({ signal }) => request('GET /api/decisions/{seq}', { params: { seq: String(seq ?? 0) }, signal }),
    enabled: seq !== undefined,
    staleTime: 'static',
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

/** Both sides of one call, oldest first. */
export const useDecisionCall = (callId: string | null) =>
  useQuery({
    queryKey: keys.call(callId ?? ''),
    queryFn: async ({ signal }) => {
      const body = await fetchPage({ callId: callId ?? '' }, { cursor: null }, { limit: 50, signal });
      return body.decisions.sort((one, other) => one.seq - other.seq);
    },
    enabled: callId !== null,
    gcTime: 60_000,
  });

export const useDecisionTools = () =>
  useQuery({
    queryKey: keys.tools,
    queryFn: async ({ signal }) => (await request('GET /api/decisions/tools', { signal })).tools,
  });
