import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveEvent } from '../../src/http/hub.contract.ts';
import { chatsListener } from './chat-events.ts';
import { knowledgeListener } from './knowledge-events.ts';
import { keys } from './queries.ts';
import { serversListener } from './server-events.ts';
import { teamListener } from './team-events.ts';

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
  const knowledge = knowledgeListener(client);
  const team = teamListener(client);
  const servers = serversListener(client);
  const chats = chatsListener(client);

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
    for (const type of ['agents', 'brain', 'tools', 'knowledge', 'team', 'decisions', 'servers', 'chats'] as const) {
      source.addEventListener(type, (message) => {
        const event = parseEvent(message.data);
        if (event?.type === 'decisions') servers.hearCall();
        if (event?.type === 'knowledge') knowledge.apply(event.event);
        else if (event?.type === 'team' || event?.type === 'decisions') team.apply(event);
        else if (event?.type === 'servers') servers.apply(event);
        else if (event?.type === 'chats') chats.hear();
        else if (event) applyEvent(client, event);
      });
    }
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
    knowledge.close();
    team.close();
    servers.close();
    chats.close();
    source?.close();
  };
}

function applyEvent(
  client: QueryClient,
  event: Exclude<LiveEvent, { type: 'knowledge' | 'team' | 'decisions' | 'servers' | 'chats' }>,
): void {
  const refresh = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey });
  switch (event.type) {
    case 'agents':
      refresh(keys.agents);
      // Each tool says in whose scope it is.
      refresh(keys.tools);
      refresh(keys.status);
      for (const id of [...event.changed, ...event.removed]) {
        refresh(keys.agentDetail(id));
        refresh(keys.compiled(id));
        void client.invalidateQueries({ queryKey: keys.versions(id), exact: true });
      }
      return;
    case 'brain':
      for (const id of event.agentIds) refresh(keys.brain(id));
      return;
    case 'tools':
      refresh(keys.tools);
      refresh(keys.status);
  }
}

function parseEvent(data: unknown): LiveEvent | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    // Written by the hub that served this page.
    return JSON.parse(data) as LiveEvent;
  } catch {
    return undefined;
  }
}

function setState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}
