import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDebounced } from '../ui/use-debounced.ts';
import { request } from './client.ts';

/** The maximum number of results of each kind. */
const maxFound = 8;
const quietMs = 150;

/** Asks the hub for chats, tasks, runs, documents and mail threads that contain these words, once typing pauses. A part that fails is left out. */
export function useFound(words: string) {
  const settled = useDebounced(words, quietMs);
  const { data, isFetching } = useQuery({
    queryKey: ['palette', settled],
    queryFn: async ({ signal }) => {
      const text = { text: settled, limit: maxFound };
      const [chats, tasks, runs, documents, threads] = await Promise.all([
        orNothing(request('GET /api/chats', { query: text, signal }), (body) => body.chats),
        orNothing(request('GET /api/tasks', { query: text, signal }), (body) => body.tasks),
        orNothing(request('GET /api/runs', { query: text, signal }), (body) => body.runs),
        orNothing(request('GET /api/knowledge/documents', { query: text, signal }), (body) => body.documents),
        orNothing(request('GET /api/mail', { query: { ...text, all: true }, signal }), (body) => body.threads),
      ]);
      return { chats, tasks, runs, documents, threads };
    },
    // One letter would find too much.
    enabled: settled.length > 1,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
  const found = words.length > 1 ? data : undefined;
  return { ...(found ?? nothing), isSearching: words.length > 1 && (isFetching || settled !== words) };
}

const nothing = { chats: [], tasks: [], runs: [], documents: [], threads: [] };

async function orNothing<Body, Item>(reply: Promise<Body>, itemsOf: (body: Body) => Item[]): Promise<Item[]> {
  return reply.then(itemsOf, () => []);
}
