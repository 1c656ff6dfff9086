import type { QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '../../src/http/hub.contract.ts';
import { serverKeys } from './server-queries.ts';

interface ServersListener {
  apply: (event: ServersEvent) => void;
  /** Some tool was called, perhaps one of a server: its counts are others. */
  hearCall: () => void;
  close: () => void;
}

type ServersEvent = Extract<LiveEvent, { type: 'servers' }>;

/** A server that flaps or writes without end is fetched again at most this often. */
const everyMs = { state: 300, log: 700, calls: 3_000 };

const oneServer = ['servers', 'one'] as const;

/** Fetches again what a server, another page or another process changed: the first news at once, a flood in turns. */
export function serversListener(client: QueryClient): ServersListener {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const waiting = new Set<string>();
  const refresh = (queryKey: readonly string[], everyMs: number) => {
    const key = queryKey.join(' ');
    if (timers.has(key)) {
      waiting.add(key);
      return;
    }
    void client.invalidateQueries({ queryKey });
    const onTime = () => {
      timers.delete(key);
      if (waiting.delete(key)) refresh(queryKey, everyMs);
    };
    timers.set(key, setTimeout(onTime, everyMs));
  };
  return {
    apply: ({ server, isLogOnly }) => {
      if (server !== null) refresh(serverKeys.log(server), everyMs.log);
      if (isLogOnly) return;
      refresh(serverKeys.list, everyMs.state);
      if (server === null) void client.invalidateQueries({ queryKey: oneServer });
      else refresh(serverKeys.one(server), everyMs.state);
    },
    hearCall: () => refresh(oneServer, everyMs.calls),
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
