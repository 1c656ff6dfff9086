import type { Changes, Topic } from '../base/changes.ts';
import type { Clock } from '../base/clock.ts';
import { beat, eventText, stillHere } from '../base/write-events.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { LiveNews } from './hub.contract.ts';
import { Refusal } from './to-error-response.ts';

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
const maxWaiting = 256;

type Client = ReadableStreamDefaultController<Uint8Array>;

interface LiveParts {
  changes: Changes;
  knowledge: Pick<Knowledge, 'events'>;
  clock: Clock;
}

/** Nothing that a page shows depends on the resources of MCP. */
const toldTopics = [
  'agents',
  'brain',
  'chats',
  'decisions',
  'knowledge',
  'mail',
  'members',
  'problems',
  'server-logs',
  'servers',
  'sources',
  'tools',
  'work',
] as const satisfies readonly Topic[];

/** Tells open pages what changed, by this or another process, and how syncs go. One set of listeners on the hub, many pages. */
export function liveEvents({ changes, knowledge, clock }: LiveParts): LiveEvents {
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
  const publish = <Name extends keyof LiveNews>(type: Name, data: LiveNews[Name]) =>
    sendAll(eventText({ type, data: JSON.stringify(data) }));

  const stops = [
    changes.on(toldTopics, (change) => publish('change', change)),
    knowledge.events.on((event) => {
      if (event.type !== 'changed' && event.type !== 'sources') publish('progress', event);
    }),
  ];
  void beat(clock, stopped.signal, () => sendAll(stillHere));

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
        { highWaterMark: maxWaiting },
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
