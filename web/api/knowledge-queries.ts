import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DocumentView } from '../../src/knowledge/knowledge.contract.ts';
import type { SearchRequest } from '../../src/knowledge/search/search-request.ts';
import { ApiError, type BodyOf, type QueryOf, request } from './client.ts';
import type { EmbeddingNews } from './knowledge-events.ts';
import { settleDeletion } from './pending-deletions.ts';
import { keys } from './queries.ts';

export type NewSource = BodyOf<'POST /api/knowledge/sources'>;
export type PrimeRequest = BodyOf<'POST /api/knowledge/prime'>;

export const useKnowledge = () =>
  useQuery({ queryKey: keys.knowledgeOverview, queryFn: ({ signal }) => request('GET /api/knowledge', { signal }) });

/** Searches unless `search` is null. The previous results stay until the new ones arrive. */
export const useKnowledgeSearch = (search: SearchRequest | null) =>
  useQuery({
    queryKey: [...keys.knowledgeSearch, search],
    queryFn: ({ signal }) => request('POST /api/knowledge/search', { body: search ?? { query: '' }, signal }),
    enabled: search !== null,
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

/** The size of each further part of a long document. */
const moreBytes = 262_144;
/** Large enough for very long lines. */
const maxBytes = 4_000_000;

type PartParam = QueryOf<'GET /api/knowledge/documents/{id}'> | { before: DocumentView['range'] };

/** A document in parts, starting at the beginning or near a passage. */
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

/** Loads the lines right before a part: about one part's worth, and fewer if they are long. */
async function loadEarlier(id: string, before: DocumentView['range'], signal: AbortSignal): Promise<DocumentView> {
  const last = before.start_line - 1;
  let count = Math.ceil((moreBytes * before.total_lines) / before.total_bytes);
  for (;;) {
    const query = { lines: `${Math.max(1, last - count + 1)}-${last}`, max_bytes: maxBytes };
    const part = await request('GET /api/knowledge/documents/{id}', { params: { id }, query, signal });
    // Otherwise the reply was cut before it reached the loaded part.
    if (count === 1 || part.next?.lines === `${before.start_line}-`) return part;
    count = Math.ceil(count / 8);
  }
}

export const usePriming = (priming: PrimeRequest | null) =>
  useQuery({
    queryKey: [...keys.priming, priming],
    queryFn: ({ signal }) => request('POST /api/knowledge/prime', { body: priming ?? { knowledge: [] }, signal }),
    enabled: priming !== null,
    placeholderData: keepPreviousData,
  });

/** Returns null before the first event. */
export const useEmbeddingNews = () =>
  useQuery<EmbeddingNews | null>({ queryKey: keys.embeddingNews, queryFn: () => null, enabled: false }).data ?? null;

export function useAddSource() {
  return useMutation({
    mutationFn: async (body: NewSource) => {
      await settleDeletion(`source/${body.type}:${body.name}`);
      return request('POST /api/knowledge/sources', { body });
    },
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

/** Resolves the prompt a client would get, including code-defined parts. */
export function useResolvePrompt(id: string) {
  return useMutation({
    mutationFn: (values: Record<string, string>) =>
      request('POST /agents/{name}/prompt', { params: { name: id }, body: { arguments: values } }),
  });
}

/** Whether search by meaning failed because embeddings are not set up. */
export function needsEmbeddings(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'embeddings_disabled';
}

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.knowledge });
}
