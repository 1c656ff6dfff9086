import type { EventSender } from '../team/events/deliver-target.ts';
import { postEvent } from './post-event.ts';

export interface InngestOptions {
  /** Where events are taken, without a path: Inngest's own address, or a server on this machine. */
  url: string;
  eventKey: string;
  timeoutMs?: number | undefined;
}

/** Inngest's event API. Its `id` is the event's in every attempt: Inngest runs nothing twice for it. */
export function inngestSender({ url, eventKey, timeoutMs = 10_000 }: InngestOptions): EventSender {
  const address = `${url.replace(/\/+$/, '')}/e/${encodeURIComponent(eventKey)}`;
  return (event, signal) => {
    const body = JSON.stringify({ id: event.id, name: event.type, data: event.data, ts: Date.parse(event.at) });
    return postEvent({ place: 'Inngest', url: address, headers: {}, body, signal, timeoutMs });
  };
}
