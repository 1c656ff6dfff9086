import type { EventSender } from '../team/events/deliver-target.ts';
import { postEvent } from './post-event.ts';

export interface InngestOptions {
  /** The address of Inngest's event API or of a local server, without a path. */
  url: string;
  eventKey: string;
  timeoutMs?: number | undefined;
}

/** Sends events to Inngest. Every attempt has the event's `id`, so Inngest runs nothing twice. */
export function inngestSender({ url, eventKey, timeoutMs = 10_000 }: InngestOptions): EventSender {
  const address = `${url.replace(/\/+$/, '')}/e/${encodeURIComponent(eventKey)}`;
  return (event, signal) => {
    const body = JSON.stringify({ id: event.id, name: event.type, data: event.data, ts: Date.parse(event.at) });
    return postEvent({ receiver: 'Inngest', url: address, headers: {}, body, signal, timeoutMs });
  };
}
