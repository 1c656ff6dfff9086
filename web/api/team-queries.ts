import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MemberChange, NewMember } from '../../src/team/member.ts';
import { teamApi } from './team.ts';

const keys = {
  members: ['members'] as const,
  list: ['members', 'list'] as const,
  member: (id: string) => ['members', 'one', id] as const,
  permissions: ['team-permissions'] as const,
  health: ['team-health'] as const,
  deliveries: ['team-deliveries'] as const,
};

export const useMembers = () => useQuery({ queryKey: keys.list, queryFn: ({ signal }) => teamApi.listMembers(signal) });

export const useMember = (id: string) =>
  useQuery({ queryKey: keys.member(id), queryFn: ({ signal }) => teamApi.getMember(id, signal) });

export const usePermissionMatrix = () =>
  useQuery({ queryKey: keys.permissions, queryFn: ({ signal }) => teamApi.permissions(signal) });

/** Time alone makes a member stalled, so it is asked again without news. */
export const useHealth = () =>
  useQuery({ queryKey: keys.health, queryFn: ({ signal }) => teamApi.health(signal), refetchInterval: 60_000 });

export const useDeadLetters = () =>
  useInfiniteQuery({
    queryKey: keys.deliveries,
    queryFn: ({ signal, pageParam }) => teamApi.deadLetters(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    // Deliveries fail without anybody's doing.
    refetchInterval: 60_000,
  });

export function useAddMember() {
  return useMutation({
    mutationFn: (member: NewMember & { withToken?: boolean }) => teamApi.addMember(member),
    onSettled: useRefresh(),
  });
}

export function useChangeMember(id: string) {
  return useMutation({
    mutationFn: (change: MemberChange) => teamApi.changeMember(id, change),
    onSettled: useRefresh(),
  });
}

export function useRemoveMember() {
  return useMutation({ mutationFn: (id: string) => teamApi.removeMember(id), onSettled: useRefresh() });
}

export function useMakeToken() {
  return useMutation({ mutationFn: (id: string) => teamApi.makeToken(id), onSettled: useRefresh() });
}

export function useRevokeToken() {
  return useMutation({ mutationFn: (id: string) => teamApi.revokeToken(id), onSettled: useRefresh() });
}

export function useRetryDelivery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => teamApi.retryDelivery(id),
    onSettled: () => client.invalidateQueries({ queryKey: keys.deliveries }),
  });
}

function useRefresh() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: keys.health });
    // A member that goes leaves its tasks behind.
    void client.invalidateQueries({ queryKey: ['tasks'] });
    return client.invalidateQueries({ queryKey: keys.members });
  };
}
