import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MemberChange } from '../../src/team/members/member.ts';
import { type BodyOf, request } from './client.ts';
import { settleDeletion } from './pending-deletions.ts';

const keys = {
  members: ['members'] as const,
  list: ['members', 'list'] as const,
  member: (id: string) => ['members', 'one', id] as const,
  permissions: ['team-permissions'] as const,
  health: ['team-health'] as const,
  deliveries: ['team-deliveries'] as const,
};

export const useMembers = () =>
  useQuery({ queryKey: keys.list, queryFn: ({ signal }) => request('GET /api/team/members', { signal }) });

export const useMember = (id: string) =>
  useQuery({
    queryKey: keys.member(id),
    queryFn: ({ signal }) => request('GET /api/team/members/{id}', { params: { id }, signal }),
  });

export const usePermissionMatrix = () =>
  useQuery({ queryKey: keys.permissions, queryFn: ({ signal }) => request('GET /api/team/permissions', { signal }) });

/** Polled: a member can stall without any event. */
export const useHealth = () =>
  useQuery({
    queryKey: keys.health,
    queryFn: ({ signal }) => request('GET /api/team/health', { signal }),
    refetchInterval: 60_000,
  });

export const useDeadLetters = () =>
  useInfiniteQuery({
    queryKey: keys.deliveries,
    queryFn: ({ signal, pageParam }) =>
      request('GET /api/team/deliveries', { query: { state: 'dead', limit: 50, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    // Polled: a delivery can fail without any event.
    refetchInterval: 60_000,
  });

export function useAddMember() {
  return useMutation({
    mutationFn: async (body: BodyOf<'POST /api/team/members'>) => {
      await settleDeletion(`member/${body.id}`);
      return request('POST /api/team/members', { body });
    },
    onSettled: useRefresh(),
  });
}

export function useChangeMember(id: string) {
  return useMutation({
    mutationFn: (body: MemberChange) => request('PATCH /api/team/members/{id}', { params: { id }, body }),
    onSettled: useRefresh(),
  });
}

export function useRemoveMember() {
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/team/members/{id}', { params: { id } }),
    onSettled: useRefresh(),
  });
}

export function useMakeToken() {
  return useMutation({
    mutationFn: (id: string) => request('POST /api/team/members/{id}/token', { params: { id } }),
    onSettled: useRefresh(),
  });
}

export function useRevokeToken() {
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/team/members/{id}/token', { params: { id } }),
    onSettled: useRefresh(),
  });
}

export function useRetryDelivery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request('POST /api/team/deliveries/{id}/retry', { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.deliveries }),
  });
}

function useRefresh() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: keys.health });
    // Removing a member unassigns its tasks.
    void client.invalidateQueries({ queryKey: ['tasks'] });
    return client.invalidateQueries({ queryKey: keys.members });
  };
}
