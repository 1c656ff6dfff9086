import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveNews } from '../../src/http/hub.contract.ts';
import { checkSession } from './access-queries.ts';
import { holdLock } from './hold-lock.ts';
import { inboxKeys } from './inbox-queries.ts';
import { showProgress } from './knowledge-events.ts';
import { checkVersion } from './new-version.ts';
import { createRefetcher } from './refetch.ts';
import { refetchChanged, refetchLost } from './refetch-changed.ts';

export type LiveState = 'connecting' | 'live' | 'lost';

let state: LiveState = 'connecting';
const listeners = new Set<() => void>();

/** Returns whether live updates are connected. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Listens to live events and refetches changed data. Mount it once. */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  useEffect(() => listen(client), [client]);
}

function listen(client: QueryClient): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let wasConnected = false;
  let wasLost = false;
  const refetch = createRefetcher(client);

  const connect = () => {
    source = new EventSource('/api/events');
    source.onopen = () => {
      failures = 0;
      setState('live');
      // Everything else is refetched when the page is shown again.
      if (document.hidden) {
        void refetchLost(client, { queryKey: inboxKeys.items });
        return;
      }
      // Changes before the connection, or while it was lost, were missed.
      if (wasLost) {
        void refetchLost(client);
        void checkVersion();
      } else if (!wasConnected) refetchChanged(client, { predicate: ({ state }) => state.status !== 'error' });
      wasConnected = true;
      wasLost = false;
    };
    source.onerror = () => {
      wasLost = true;
      setState('lost');
      // The event does not say why it failed: perhaps this browser was signed out.
      checkSession().catch(() => {});
      // The browser stops retrying after a reply that is not a stream, so we retry.
      source?.close();
      failures += 1;
      timer = setTimeout(connect, Math.min(15_000, 500 * 2 ** failures));
    };
    on(source, 'change', (change) => (document.hidden ? refetch.applyToInbox(change) : refetch.apply(change)));
    on(source, 'progress', (event) => showProgress(client, event));
  };
  const onOnline = () => {
    if (state !== 'lost' || !source) return;
    clearTimeout(timer);
    source.close();
    connect();
  };

  // Browsers limit connections per host: of all hidden pages, one stays connected, for the inbox.
  let release = () => {};
  const begin = () => {
    if (document.hidden) release = holdLock('zoo-hidden-page', { onHeld: connect });
    else connect();
  };
  const end = () => {
    release();
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const onVisibility = () => {
    end();
    wasLost = true;
    begin();
  };

  begin();
  window.addEventListener('online', onOnline);
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    window.removeEventListener('online', onOnline);
    document.removeEventListener('visibilitychange', onVisibility);
    end();
    refetch.close();
  };
}

function on<Name extends keyof LiveNews>(
  source: EventSource,
  name: Name,
  listener: (data: LiveNews[Name]) => void,
): void {
  // Written by the hub that served this page.
  source.addEventListener(name, ({ data }) => listener(JSON.parse(data) as LiveNews[Name]));
}

function setState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}
