import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SearchRequest } from '../../src/knowledge/search-request.ts';
import { ApiError, type BodyOf, request } from './client.ts';
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

export const useDocument = (id: string) =>
  useQuery({
    queryKey: keys.document(id),
    queryFn: ({ signal }) => request('GET /api/knowledge/documents/{id}', { params: { id }, signal }),
  });

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
