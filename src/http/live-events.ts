import type { Changes, Topic } from '../base/changes.ts';
import type { Clock } from '../base/clock.ts';
import { beat, eventText, stillHere } from '../base/write-events.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { LiveNews } from './hub.contract.ts';
import { Refusal } from './to-error-response.ts';

export interface LiveEvents {
  /** Opens a stream of server-sent events. Throws a Refusal if too many are open. */
  connect(): ReadableStream<Uint8Array>;
  readonly clients: number;
  /** Aborted by `close`. Other streams use it to end at the same time. */
  readonly closing: AbortSignal;
  close(): void;
}

/** The maximum number of open event streams, and of open chat streams. */
export const maxOpenPages = 500;
/** A page with more unread events is disconnected. It reconnects and reloads its data. */
const maxWaiting = 256;

type Client = ReadableStreamDefaultController<Uint8Array>;

interface LiveParts {
  changes: Changes;
  knowledge: Pick<Knowledge, 'events'>;
  clock: Clock;
}

/** All topics except `resources`, because no page shows MCP resources. */
const pageTopics = [
  'agents',
  'brain',
  'chats',
  'clients',
  'decisions',
  'inbox',
  'keys',
  'knowledge',
  'mail',
  'members',
  'problems',
  'server-logs',
  'servers',
  'settings',
  'sources',
  'tools',
  'work',
] as const satisfies readonly Topic[];

/** Sends changes by any process, and the progress of syncs, to all open pages. Listens to the hub once for all pages, and only while one is open. */
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
    if (!clients.delete(client)) return;
    client.close();
    listenIfNeeded();
  }
  const publish = <Name extends keyof LiveNews>(type: Name, data: LiveNews[Name]) =>
    sendAll(eventText({ type, data: JSON.stringify(data) }));

  let stops: (() => void)[] = [];
  function listenIfNeeded(): void {
    if (clients.size > 0 === stops.length > 0) return;
    for (const stop of stops) stop();
    stops = clients.size === 0 ? [] : listen();
  }
  const listen = () => [
    changes.on(pageTopics, (change) => publish('change', change)),
    knowledge.events.on((event) => {
      if (event.type !== 'changed' && event.type !== 'sources') publish('progress', event);
    }),
  ];
  void beat(clock, stopped.signal, () => sendAll(stillHere));

  return {
    connect() {
      if (stopped.signal.aborted) throw new Refusal(503, 'unavailable', 'The hub is closing.');
      if (clients.size >= maxOpenPages) {
        const message = `At most ${maxOpenPages} pages can be open at once. Close a page and try again.`;
        throw new Refusal(503, 'unavailable', message);
      }
      let self: Client;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            self = controller;
            clients.add(controller);
            listenIfNeeded();
            controller.enqueue(encoder.encode(eventText({ retry: 1000 })));
          },
          cancel() {
            clients.delete(self);
            listenIfNeeded();
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
      for (const client of [...clients]) drop(client);
    },
  };
}
