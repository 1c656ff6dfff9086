import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clearDrafts } from '../parts/drafts/drafts.ts';
import { addressForOthers } from './address-for-others.ts';
import { type BodyOf, request } from './client.ts';
import { noteSignedOut } from './signed-out.ts';

export const accessKeys = {
  session: ['access', 'session'],
  sessions: ['access', 'sessions'],
  keys: ['access', 'keys'],
} as const;

/** How often the last use of keys and browsers is read again: it is not announced. */
const usesMs = 5_000;

/** The hub's view of this browser. Also works in a browser that is not signed in. */
export const useSession = ({ everyMs }: { everyMs?: number } = {}) =>
  useQuery({
    queryKey: accessKeys.session,
    queryFn: ({ signal }) => request('GET /api/session', { signal }),
    refetchInterval: everyMs ?? false,
  });

/** Returns the address at which other programs reach the hub, without a trailing slash. */
export function useHubAddress(): string {
  const { data: session } = useSession();
  return addressForOthers(session?.url, window.location.origin);
}

/** The browsers that are signed in. With `isLive`, their last use stays current. */
export const useSessions = ({ isLive }: { isLive: boolean }) =>
  useQuery({
    queryKey: accessKeys.sessions,
    queryFn: async ({ signal }) => (await request('GET /api/sessions', { signal })).sessions,
    refetchInterval: isLive && usesMs,
  });

export const useClientKeys = () =>
  useQuery({
    queryKey: accessKeys.keys,
    queryFn: async ({ signal }) => (await request('GET /api/keys', { signal })).keys,
    refetchInterval: usesMs,
  });

/** The reply contains the secret, which no other reply does. */
export function useCreateKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'POST /api/keys'>) => request('POST /api/keys', { body }),
    onSettled: () => client.invalidateQueries({ queryKey: accessKeys.keys }),
    // Drops the secret when the page that shows it closes.
    gcTime: 0,
  });
}

export function useRevokeKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/keys/{id}', { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: accessKeys.keys }),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /api/session'),
    onSuccess: () => leave(client, 'You have signed this browser out.'),
  });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/sessions/{id}', { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: accessKeys.sessions }),
  });
}

export function useSignOutEverywhere() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /api/sessions'),
    onSuccess: () => leave(client, 'You have signed out all browsers.'),
  });
}

/** Shows the sign-in screen and forgets what was loaded and typed. */
function leave(client: QueryClient, why: string): void {
  clearDrafts();
  noteSignedOut(why);
  client.clear();
}

/** Shows the sign-in screen if the hub no longer accepts this browser. An event stream cannot tell: it only fails. */
export async function checkSession(): Promise<void> {
  const { caller } = await request('GET /api/session');
  if (caller.kind !== 'owner') noteSignedOut('This browser was signed out.');
}
