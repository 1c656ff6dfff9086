import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';

const keys = { catalogue: ['catalogue'] as const };

/** Searches the catalogue of servers in the hub. Fetches nothing from elsewhere. */
export const useCatalogueSearch = (query: string) =>
  useQuery({
    queryKey: [...keys.catalogue, query],
    queryFn: ({ signal }) => request('GET /api/catalogue', { query: { query }, signal }),
    placeholderData: keepPreviousData,
  });

export function useUpdateCatalogue() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (list: { url: string } | File) =>
      list instanceof File ? sendFile(list) : request('POST /api/catalogue/update', { body: list }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.catalogue }),
  });
}

async function sendFile(file: File) {
  return request('POST /api/catalogue/file', { body: { name: file.name, text: await file.text() } });
}
