import { type Clock, toIso } from '../base/clock.ts';
import { anchorEvent } from '../base/event-types.ts';
import { newId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { EventSender } from '../team/events/deliver-target.ts';
import type { DecisionHistory } from '../tools/decision-log.ts';
import type { LiveConfig } from './settings/live-config.ts';

interface AnchorParts {
  live: Pick<LiveConfig, 'current'>;
  decisions: Pick<DecisionHistory, 'onAnchored'>;
  clock: Clock;
  logger: Logger;
  /** Tests set it to send sooner. */
  everyMs?: number;
}

/** How often anchors are sent while there are new ones. */
const minuteMs = 60_000;
/** How long a closing hub waits for the receiver. */
const closeMs = 5_000;

type Head = Parameters<Parameters<DecisionHistory['onAnchored']>[0]>[0][number];

/**
 * Sends the anchors of the log to the webhook that the settings name, so that they are also kept on another machine. What could not be
 * sent is sent with the next ones.
 */
export function sendAnchors(parts: AnchorParts): { close(): Promise<void> } {
  const { live, decisions, clock, logger, everyMs = minuteMs } = parts;
  const waiting = new Map<string, Head>();
  let known: { target: string; send: EventSender } | undefined;
  let missing: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();
  const stop = decisions.onAnchored((heads) => {
    if (webhook() === undefined) return waiting.clear();
    for (const head of heads) waiting.set(head.chain, head);
    timer ??= setTimeout(send, everyMs).unref();
  });

  /** Returns the webhook as it is now, or says once that there is none of this name. */
  function webhook(): { name: string; url: string; secret: string } | undefined {
    const { log, events } = live.current;
    const name = log.anchor_webhook;
    const hook = name !== undefined && Object.hasOwn(events.webhooks, name) ? events.webhooks[name] : undefined;
    if (name !== undefined && !hook && missing !== name)
      logger.warn({ name }, 'there is no webhook of the name in [log] anchor_webhook; no anchors are sent');
    missing = hook ? undefined : name;
    return hook && name !== undefined ? { name, url: hook.url, secret: hook.secret } : undefined;
  }

  async function senderTo(hook: { name: string; url: string; secret: string }): Promise<EventSender> {
    const target = JSON.stringify(hook);
    if (known?.target === target) return known.send;
    const { webhookSender } = await import('../delivery/webhooks.ts');
    known = { target, send: webhookSender({ ...hook, clock }) };
    return known.send;
  }

  function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending = sending.then(sendNow);
    return sending;
  }

  async function sendNow(): Promise<void> {
    const heads = [...waiting.values()];
    const hook = webhook();
    waiting.clear();
    if (heads.length === 0 || !hook) return;
    const at = clock.now();
    const data = { at, heads: heads.map((head) => [head.chain, head.no, head.hash, null, head.at]) };
    const event = { id: newId('anchor', at), type: anchorEvent, at: toIso(at), data };
    try {
      const deliver = await senderTo(hook);
      const sent = await deliver(event, AbortSignal.timeout(closeMs));
      if (sent.isDelivered) return;
      logger.warn({ error: sent.error }, 'the anchors of the log were not sent');
    } catch (error) {
      logger.warn({ err: error }, 'the anchors of the log were not sent');
    }
    for (const head of heads) if (!waiting.has(head.chain)) waiting.set(head.chain, head);
    timer ??= setTimeout(send, everyMs).unref();
  }

  return {
    async close() {
      await send();
      clearTimeout(timer);
      stop();
    },
  };
}
