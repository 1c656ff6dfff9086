import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveNews } from '../../src/http/hub.contract.ts';
import { showProgress } from './knowledge-events.ts';
import { refetching } from './refetch.ts';

export type LiveState = 'connecting' | 'live' | 'lost';

let state: LiveState = 'connecting';
const listeners = new Set<() => void>();

/** Whether the page hears of changes as they happen. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Listens for the life of the app: what changed elsewhere is fetched again here. */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  useEffect(() => listen(client), [client]);
}

function listen(client: QueryClient): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let wasLost = false;
  const refetch = refetching(client);

  const connect = () => {
    source = new EventSource('/api/events');
    source.onopen = () => {
      failures = 0;
      setState('live');
      // Whatever happened in between was missed.
      if (wasLost) void client.invalidateQueries();
      wasLost = false;
    };
    source.onerror = () => {
      wasLost = true;
      setState('lost');
      // The browser's own retry gives up after an answer that is not a stream, so the retry is ours.
      source?.close();
      failures += 1;
      timer = setTimeout(connect, Math.min(15_000, 500 * 2 ** failures));
    };
    hear(source, 'change', refetch.apply);
    hear(source, 'progress', (event) => showProgress(client, event));
  };
  const onOnline = () => {
    if (state !== 'lost') return;
    clearTimeout(timer);
    source?.close();
    connect();
  };

  // A browser opens few connections to one place: tabs nobody looks at give theirs back.
  const onVisibility = () => {
    clearTimeout(timer);
    source?.close();
    wasLost = true;
    if (document.visibilityState === 'visible') connect();
  };

  connect();
  window.addEventListener('online', onOnline);
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    window.removeEventListener('online', onOnline);
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(timer);
    refetch.close();
    source?.close();
  };
}

function hear<Name extends keyof LiveNews>(
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
