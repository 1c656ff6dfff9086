import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SearchRequest } from '../../src/knowledge/search-request.ts';
import { ApiError } from './client.ts';
import { type DocumentFilter, knowledgeApi, type NewSource, type PrimeRequest } from './knowledge.ts';
import type { EmbeddingNews } from './knowledge-events.ts';
import { keys } from './queries.ts';

export const useKnowledge = () =>
  useQuery({ queryKey: keys.knowledgeOverview, queryFn: ({ signal }) => knowledgeApi.overview(signal) });

/** Null asks nothing. The last answer stays until the next one is there; an answer to older words is never shown after it. */
export const useKnowledgeSearch = (request: SearchRequest | null) =>
  useQuery({
    queryKey: [...keys.knowledgeSearch, request],
    queryFn: ({ signal }) => knowledgeApi.search(request ?? { query: '' }, signal),
    enabled: request !== null,
    placeholderData: keepPreviousData,
  });

export const useDocuments = (filter: DocumentFilter) =>
  useInfiniteQuery({
    queryKey: [...keys.documents, filter],
    queryFn: ({ signal, pageParam }) => knowledgeApi.listDocuments(filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
  });

export const useDocument = (id: string) =>
  useQuery({ queryKey: keys.document(id), queryFn: ({ signal }) => knowledgeApi.getDocument(id, signal) });

export const usePriming = (request: PrimeRequest | null) =>
  useQuery({
    queryKey: [...keys.priming, request],
    queryFn: ({ signal }) => knowledgeApi.prime(request ?? { arguments: [], knowledge: [], values: {} }, signal),
    enabled: request !== null,
    placeholderData: keepPreviousData,
  });

/** Null before the first news. */
export const useEmbeddingNews = () =>
  useQuery<EmbeddingNews | null>({ queryKey: keys.embeddingNews, queryFn: () => null, enabled: false }).data ?? null;

export function useAddSource() {
  return useMutation({ mutationFn: (source: NewSource) => knowledgeApi.addSource(source), onSettled: useRefresh() });
}

export function useRemoveSource() {
  return useMutation({ mutationFn: (source: string) => knowledgeApi.removeSource(source), onSettled: useRefresh() });
}

export function useSync() {
  return useMutation({
    mutationFn: (request: { target: string; full?: boolean; allowEmpty?: boolean }) => knowledgeApi.sync(request),
    onSettled: useRefresh(),
  });
}

export function useCancelSync() {
  return useMutation({ mutationFn: (source: string) => knowledgeApi.cancelSync(source), onSettled: useRefresh() });
}

export function useEmbed() {
  return useMutation({
    mutationFn: ({ rebuild = false }: { rebuild?: boolean } = {}) => knowledgeApi.embed(rebuild),
    onSettled: useRefresh(),
  });
}

export function useResolvePrompt(id: string) {
  return useMutation({ mutationFn: (values: Record<string, string>) => knowledgeApi.resolvePrompt(id, values) });
}

/** Search by meaning was asked for where it is not set up. */
export function needsEmbeddings(error: unknown): boolean {
  return error instanceof ApiError && error.details?.reason === 'embeddings_disabled';
}

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.knowledge });
}
