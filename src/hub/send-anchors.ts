import { type Clock, toIso } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Config } from '../config/config.ts';
import type { EventSender } from '../team/events/deliver-target.ts';
import type { DecisionHistory } from '../tools/decision-log.ts';

interface AnchorParts {
  config: Pick<Config, 'events' | 'log'>;
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
 * Sends the anchors of the log to a webhook, so that they are also kept on another machine. What could not be sent is sent with the
 * next ones. Returns nothing to close if no webhook is named.
 */
export function sendAnchors(parts: AnchorParts): { close(): Promise<void> } {
  const { config, decisions, clock, logger, everyMs = minuteMs } = parts;
  const name = config.log.anchor_webhook;
  const hook = name === undefined ? undefined : config.events.webhooks[name];
  if (name === undefined) return { close: async () => {} };
  if (!hook) {
    logger.warn({ name }, 'the webhook of [log] anchor_webhook is not in [events.webhooks]; no anchors are sent');
    return { close: async () => {} };
  }
  const { url, secret } = hook;
  const waiting = new Map<string, Head>();
  let sender: EventSender | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();
  const stop = decisions.onAnchored((heads) => {
    for (const head of heads) waiting.set(head.chain, head);
    timer ??= setTimeout(send, everyMs).unref();
  });

  function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending = sending.then(sendNow);
    return sending;
  }

  async function sendNow(): Promise<void> {
    const heads = [...waiting.values()];
    if (heads.length === 0 || name === undefined) return;
    waiting.clear();
    const at = clock.now();
    const data = { at, heads: heads.map((head) => [head.chain, head.no, head.hash, null, head.at]) };
    const event = { id: newId('anchor', at), type: 'log.anchored', at: toIso(at), data };
    try {
      const { webhookSender } = await import('../delivery/webhooks.ts');
      sender ??= webhookSender({ name, url, secret, clock });
      const sent = await sender(event, AbortSignal.timeout(closeMs));
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
