import { createHmac } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { EventSender } from '../team/events/deliver-target.ts';
import { postEvent } from './post-event.ts';

export interface WebhookOptions {
  name: string;
  url: string;
  /** `whsec_` followed by base64, or any text. */
  secret: string;
  clock: Pick<Clock, 'now'>;
  timeoutMs?: number | undefined;
}

/**
 * Sends events by the Standard Webhooks specification. Every attempt has the event's id, so that receivers can drop duplicates, and
 * the attempt's own time, so that they can reject replays. Throws INVALID_CONFIG.
 */
export function webhookSender({ name, url, secret, clock, timeoutMs = 10_000 }: WebhookOptions): EventSender {
  const key = keyOf(name, secret);
  return (event, signal) => {
    const body = JSON.stringify({ type: event.type, timestamp: event.at, data: event.data });
    const time = String(Math.floor(clock.now() / 1000));
    const signature = createHmac('sha256', key).update(`${event.id}.${time}.${body}`).digest('base64');
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    };
    return postEvent({ receiver: `Webhook "${name}"`, url, headers, body, signal, timeoutMs });
  };
}

const encodedSecret = /^whsec_(.*)$/s;

function keyOf(name: string, secret: string): Buffer {
  const encoded = encodedSecret.exec(secret)?.[1];
  if (encoded === undefined) return Buffer.from(secret);
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return Buffer.from(encoded, 'base64');
  throw new HubError(
    'INVALID_CONFIG',
    `events.webhooks.${name}.secret begins with whsec_, but the rest is not base64. Copy it exactly as the receiver shows it.`,
  );
}
