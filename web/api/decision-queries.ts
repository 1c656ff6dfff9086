import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type QueryOf, request } from './client.ts';
import { type DecisionLines, toLines } from './decision-lines.ts';

export type DecisionFilter = Omit<QueryOf<'GET /api/decisions'>, 'limit' | 'cursor' | 'after'>;

/**
 * Where a page starts: older entries continue from a cursor (null for the newest), newer ones come `after` one,
 * `except` those (by number) that an earlier page already has.
 */
export type PagePosition = { cursor: string | null } | { after: string; except?: readonly number[] };

/** The filter of the list, with its own time range. */
interface CountsRequest extends Omit<DecisionFilter, 'since' | 'until'> {
  since: number;
  until: number;
  stepMinutes: number;
}

export const decisionPageSize = 200;

/**
 * Each live event invalidates `decisions`, so only the tail lives there. Written entries never change: pages stay as they
 * are, and only for a minute, so that far scrolling keeps few of them.
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

export const decisionPageOptions = (filter: DecisionFilter, position: PagePosition, limit = decisionPageSize) =>
  queryOptions({
    queryKey: [...keys.pages, filter, position],
    queryFn: async ({ signal }) => {
      const except = 'after' in position ? (position.except ?? []) : [];
      const page = await fetchPage(filter, position, { limit: limit + except.length, signal });
      return newestFirst(toLines(page), position, except);
    },
    // Not even a lost connection makes it stale.
    staleTime: 'static',
    gcTime: 60_000,
    structuralSharing: false,
  });

/** Entries after the newest known one, refetched on each live event. Null means that none is known yet. */
export const decisionTailOptions = (filter: DecisionFilter, newest: string | null) =>
  queryOptions({
    queryKey: [...keys.tail, filter, newest],
    queryFn: async ({ signal }) => {
      const position = newest === null ? { cursor: null } : { after: newest };
      const page = await fetchPage(filter, position, { limit: decisionPageSize, signal });
      return newestFirst(toLines(page), position);
    },
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  });

function fetchPage(
  filter: DecisionFilter,
  position: PagePosition,
  { limit, signal }: { limit: number; signal: AbortSignal },
) {
  const from = 'after' in position ? { after: position.after } : { cursor: position.cursor };
  return request('GET /api/decisions', { query: { ...filter, ...from, limit }, signal });
}

function newestFirst(page: DecisionLines, position: PagePosition, except: readonly number[] = []): DecisionLines {
  if (!('after' in position)) return page;
  return { ...page, lines: page.lines.filter((line) => !except.includes(line.seq)).reverse() };
}

export const useDecisionCounts = ({ since, until, stepMinutes, ...filter }: CountsRequest) =>
  useQuery({
    queryKey: [...keys.counts, { since, until, stepMinutes, ...filter }],
    queryFn: ({ signal }) => {
      const period = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
      return request('GET /api/decisions/counts', { query: { ...filter, ...period, step: stepMinutes }, signal });
    },
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

/** Verifies the whole log once, when it is first shown. */
export function useVerifiedLog() {
  return useQuery({
    queryKey: ['decision-verify'],
    queryFn: ({ signal }) => request('GET /api/decisions/verify', { signal, mayTakeLong: true }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
