import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type DecisionLines, toLines } from './decision-lines.ts';
import {
  type CountsRequest,
  type DecisionFilter,
  decisionPageSize,
  decisionsApi,
  type PagePlace,
} from './decisions.ts';

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
      const page = await decisionsApi.page(filter, place, { limit: limit + except.length, signal });
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
      const page = await decisionsApi.page(filter, place, { limit: decisionPageSize, signal });
      return newestFirst(toLines(page), place);
    },
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  });

function newestFirst(page: DecisionLines, place: PagePlace, except: readonly number[] = []): DecisionLines {
  if (!('after' in place)) return page;
  return { ...page, lines: page.lines.filter((line) => !except.includes(line.seq)).reverse() };
}

export const useDecisionCounts = (request: CountsRequest | null) =>
  useQuery({
    queryKey: [...keys.counts, request],
    queryFn: ({ signal }) => decisionsApi.counts(request ?? { since: 0, until: 60_000, stepMinutes: 1 }, signal),
    enabled: request !== null,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const useDecisionEntry = (seq: number | undefined) =>
  useQuery({
    queryKey: keys.entry(seq ?? 0),
    queryFn: ({ signal }) => decisionsApi.entry(seq ?? 0, signal),
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
      const body = await decisionsApi.page({ callId: callId ?? '' }, { cursor: null }, { limit: 50, signal });
      return body.decisions.sort((one, other) => one.seq - other.seq);
    },
    enabled: callId !== null,
    gcTime: 60_000,
  });

export const useDecisionTools = () =>
  useQuery({ queryKey: keys.tools, queryFn: async ({ signal }) => (await decisionsApi.tools(signal)).tools });
