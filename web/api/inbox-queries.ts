import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApprovalAnswer } from '../../src/engine/run-events.ts';
import type { ItemOf } from '../../src/inbox/inbox.ts';
import { request } from './client.ts';

export const inboxKeys = {
  items: ['inbox', 'items'] as const,
  firstSteps: ['inbox', 'first-steps'] as const,
};

/** What waits for the user, the most urgent first. */
export const useInbox = () =>
  useQuery({
    queryKey: inboxKeys.items,
    queryFn: ({ signal }) => request('GET /api/inbox', { signal }),
    // A sign-in can expire without any change that the hub could announce.
    refetchInterval: 5 * 60_000,
    refetchIntervalInBackground: true,
  });

export const useFirstSteps = () =>
  useQuery({ queryKey: inboxKeys.firstSteps, queryFn: ({ signal }) => request('GET /api/first-steps', { signal }) });

/** Dismisses items, or undoes that. */
export function useDismiss() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, isUndo = false }: { ids: string[]; isUndo?: boolean }) =>
      isUndo
        ? Promise.all(ids.map((id) => request('DELETE /api/inbox/dismissed/{id}', { params: { id } })))
        : request('POST /api/inbox/dismissed', { body: { ids } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['inbox'] }),
  });
}

export function useAnswerApproval() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ chatId: id, toolUseId, answer }: { chatId: string; toolUseId: string; answer: ApprovalAnswer }) =>
      request('POST /api/chats/{id}/approvals/{toolUseId}', { params: { id, toolUseId }, body: { answer } }),
    onSettled: () => client.invalidateQueries({ queryKey: inboxKeys.items }),
  });
}

/** The failures whose runs this page has started again. */
const restarted = new Set<string>();

/**
 * Retries what failed. A retried run is a new run, so the old failure is dismissed. If only dismissing it failed, resolves with the
 * reason; trying again then does not start another run.
 */
export function useRetryFailure() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, settle }: ItemOf<'failure'>): Promise<unknown> => {
      switch (settle.what) {
        case 'chat':
          await request('POST /api/chats/{id}/retry', {
            params: { id: settle.chatId },
            body: settle.messageId === null ? {} : { messageId: settle.messageId },
          });
          return;
        case 'run':
          if (!restarted.has(id)) await request('POST /api/runs/{id}/fork', { params: { id: settle.runId }, body: {} });
          restarted.add(id);
          return request('POST /api/inbox/dismissed', { body: { ids: [id] } }).catch((error: unknown) => error);
        case 'source':
          await request('POST /api/knowledge/sync', { body: { target: settle.source } });
          return;
        case 'server':
          await request('POST /api/servers/{name}/connect', { params: { name: settle.server } });
          return;
        case 'budget':
          return;
        case 'deliveries':
          for (const delivery of settle.ids)
            await request('POST /api/team/deliveries/{id}/retry', { params: { id: delivery } });
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: inboxKeys.items }),
  });
}
