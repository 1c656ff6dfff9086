import { beat, eventText, stillHere } from '../base/write-events.ts';
import type { Hub } from '../hub.ts';
import type { LiveEvent } from './hub.contract.ts';
import { Refusal } from './refusal.ts';

export interface LiveEvents {
  /** A stream of server-sent events. Throws a Refusal when too many are open. */
  connect(): ReadableStream<Uint8Array>;
  readonly clients: number;
  /** Aborted by `close`, for other streams that end with these. */
  readonly closing: AbortSignal;
  close(): void;
}

/** How many open pages, and readers of chats, a hub serves at once. */
export const maxOpenPages = 500;
/** A page that reads slower than this many events is let go; it reconnects and loads what it shows afresh. */
const mostWaiting = 256;

type Client = ReadableStreamDefaultController<Uint8Array>;

/** Tells open pages what changed, by this or another process. One set of listeners on the hub, many pages. */
export function liveEvents(
  hub: Pick<Hub, 'agents' | 'brain' | 'tools' | 'knowledge' | 'team' | 'decisions' | 'clock'> & {
    servers: Pick<Hub['servers'], 'changes'>;
    store: { chats: Pick<Hub['store']['chats'], 'watch'> };
  },
): LiveEvents {
  const clients = new Set<Client>();
  const stopped = new AbortController();
  const encoder = new TextEncoder();

  function sendAll(text: string): void {
    if (clients.size === 0) return;
    const bytes = encoder.encode(text);
    for (const client of clients) {
      if ((client.desiredSize ?? 0) > 0) client.enqueue(bytes);
      else drop(client);
    }
  }
  function drop(client: Client): void {
    if (clients.delete(client)) client.close();
  }
  const publish = (event: LiveEvent) => sendAll(eventText({ type: event.type, data: JSON.stringify(event) }));

  const stops = [
    hub.agents.changes.on(({ changed, removed }) =>
      publish({ type: 'agents', changed: [...changed], removed: [...removed] }),
    ),
    hub.brain.watch((agentIds) => publish({ type: 'brain', agentIds: [...agentIds] })),
    hub.tools.changes.on(() => publish({ type: 'tools' })),
    hub.knowledge.events.on((event) => publish({ type: 'knowledge', event })),
    hub.team.changes.on((concerns) => publish({ type: 'team', concerns: [...concerns] })),
    hub.decisions.watch(() => publish({ type: 'decisions' })),
    hub.servers.changes.on(({ server, isLogOnly }) => publish({ type: 'servers', server, isLogOnly })),
    hub.store.chats.watch(() => publish({ type: 'chats' })),
  ];
  void beat(hub.clock, stopped.signal, () => sendAll(stillHere));

  return {
    connect() {
      if (stopped.signal.aborted) throw new Refusal(503, 'unavailable', 'The hub is closing.');
      if (clients.size >= maxOpenPages) {
        const message = `No more than ${maxOpenPages} pages can listen at once. Close a page, and try again.`;
        throw new Refusal(503, 'unavailable', message);
      }
      let self: Client;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            self = controller;
            clients.add(controller);
            controller.enqueue(encoder.encode(eventText({ retry: 1000 })));
          },
          cancel() {
            clients.delete(self);
          },
        },
        { highWaterMark: mostWaiting },
      );
    },
    get clients() {
      return clients.size;
    },
    closing: stopped.signal,
    close() {
      stopped.abort();
      for (const stop of stops) stop();
      for (const client of [...clients]) drop(client);
    },
  };
}
