import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DocumentView } from '../../src/knowledge/knowledge.contract.ts';
import type { SearchRequest } from '../../src/knowledge/search/search-request.ts';
import { ApiError, type BodyOf, type QueryOf, request } from './client.ts';
import type { EmbeddingNews } from './knowledge-events.ts';
import { keys } from './queries.ts';

export type NewSource = BodyOf<'POST /api/knowledge/sources'>;
export type PrimeRequest = BodyOf<'POST /api/knowledge/prime'>;

export const useKnowledge = () =>
  useQuery({ queryKey: keys.knowledgeOverview, queryFn: ({ signal }) => request('GET /api/knowledge', { signal }) });

/** Null asks nothing. The last answer stays until the next one is there; an answer to older words is never shown after it. */
export const useKnowledgeSearch = (wanted: SearchRequest | null) =>
  useQuery({
    queryKey: [...keys.knowledgeSearch, wanted],
    queryFn: ({ signal }) => request('POST /api/knowledge/search', { body: wanted ?? { query: '' }, signal }),
    enabled: wanted !== null,
    placeholderData: keepPreviousData,
  });

export const useDocuments = (filter: { source?: string; text?: string }) =>
  useInfiniteQuery({
    queryKey: [...keys.documents, filter],
    queryFn: ({ signal, pageParam }) =>
      request('GET /api/knowledge/documents', { query: { ...filter, limit: 100, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
  });

/** Whoever asks for more of a long document wants to read on for a while. */
const moreBytes = 262_144;
/** For lines of any length. */
const maxBytes = 4_000_000;

type PartParam = QueryOf<'GET /api/knowledge/documents/{id}'> | { before: DocumentView['range'] };

/** A document in parts, the first one from its beginning or near a passage. */
export const useDocument = (id: string, near: number | null) =>
  useInfiniteQuery({
    queryKey: [...keys.document(id), near],
    queryFn: ({ signal, pageParam }) =>
      'before' in pageParam
        ? loadEarlier(id, pageParam.before, signal)
        : request('GET /api/knowledge/documents/{id}', { params: { id }, query: pageParam, signal }),
    initialPageParam: (near === null ? {} : { passage: near }) as PartParam,
    getNextPageParam: (last): PartParam | null => last.next && { ...last.next, max_bytes: moreBytes },
    getPreviousPageParam: (first): PartParam | null => (first.range.start_line === 1 ? null : { before: first.range }),
    placeholderData: keepPreviousData,
  });

/** The lines right before a part: about as many as are one, and fewer where they turn out to be long. */
async function loadEarlier(id: string, before: DocumentView['range'], signal: AbortSignal): Promise<DocumentView> {
  const last = before.start_line - 1;
  let count = Math.ceil((moreBytes * before.total_lines) / before.total_bytes);
  for (;;) {
    const query = { lines: `${Math.max(1, last - count + 1)}-${last}`, max_bytes: maxBytes };
    const part = await request('GET /api/knowledge/documents/{id}', { params: { id }, query, signal });
    // Otherwise it was cut before it reached the part that is there.
    if (count === 1 || part.next?.lines === `${before.start_line}-`) return part;
    count = Math.ceil(count / 8);
  }
}

export const usePriming = (wanted: PrimeRequest | null) =>
  useQuery({
    queryKey: [...keys.priming, wanted],
    queryFn: ({ signal }) => request('POST /api/knowledge/prime', { body: wanted ?? { knowledge: [] }, signal }),
    enabled: wanted !== null,
    placeholderData: keepPreviousData,
  });

/** Null before the first news. */
export const useEmbeddingNews = () =>
  useQuery<EmbeddingNews | null>({ queryKey: keys.embeddingNews, queryFn: () => null, enabled: false }).data ?? null;

export function useAddSource() {
  return useMutation({
    mutationFn: (body: NewSource) => request('POST /api/knowledge/sources', { body }),
    onSettled: useRefresh(),
  });
}

export function useRemoveSource() {
  return useMutation({
    mutationFn: (source: string) => request('DELETE /api/knowledge/sources/{source}', { params: { source } }),
    onSettled: useRefresh(),
  });
}

export function useSync() {
  return useMutation({
    mutationFn: (body: BodyOf<'POST /api/knowledge/sync'>) => request('POST /api/knowledge/sync', { body }),
    onSettled: useRefresh(),
  });
}

export function useCancelSync() {
  return useMutation({
    mutationFn: (source: string) => request('POST /api/knowledge/sync/cancel', { body: { source } }),
    onSettled: useRefresh(),
  });
}

export function useEmbed() {
  return useMutation({
    mutationFn: (body: BodyOf<'POST /api/knowledge/embed'>) => request('POST /api/knowledge/embed', { body }),
    onSettled: useRefresh(),
  });
}

/** What a client would get, built by the agent's own code where it has some. */
export function useResolvePrompt(id: string) {
  return useMutation({
    mutationFn: (values: Record<string, string>) =>
      request('POST /agents/{name}/prompt', { params: { name: id }, body: { arguments: values } }),
  });
}

/** Search by meaning was asked for where it is not set up. */
export function needsEmbeddings(error: unknown): boolean {
  return error instanceof ApiError && error.details?.reason === 'embeddings_disabled';
}

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.knowledge });
}
