import { HubError } from '../base/hub-error.ts';
import { deliverTarget } from './deliver-target.ts';
import { HandlerSubscriptions, type Subscription } from './handler-subscriptions.ts';
import type { TeamEvent, TeamEvents } from './team.ts';
import type { TeamParts } from './team-parts.ts';

/** Brings one event to one target. A failure is returned or thrown; its text is kept where people see it. */
export type EventSender = (event: TeamEvent, signal: AbortSignal) => Promise<SendResult>;

export type SendResult =
  | { isDelivered: true }
  /** `isFinal`: the target wants no further attempt. */
  | { isDelivered: false; error: string; isFinal: boolean };

/** While it closes, running deliveries have so long to end by themselves. */
const patienceMs = 2_000;

/** The outbox: each target has a lane of its own, so that a slow one holds up nobody. `senders` are asked for at the start. */
export function teamEvents(
  parts: Pick<TeamParts, 'store' | 'clock' | 'logger' | 'redact'>,
  senders: () => ReadonlyMap<string, EventSender> | Promise<ReadonlyMap<string, EventSender>>,
): TeamEvents {
  const { clock, logger, store } = parts;
  const wakers = new Set<() => void>();
  const wake = () => {
    for (const each of wakers) each();
  };
  let deliver: ((subscription: Subscription) => void) | undefined;
  const subscriptions = new HandlerSubscriptions(parts, (added) => deliver?.(added));

  return {
    on: (type, handler, { subscriber } = {}) => subscriptions.add(type, handler, subscriber),
    registered: () => subscriptions.registered(),
    deliveries: ({ state, limit = 50, cursor } = {}) => store.deliveries.list({ state, limit, cursor }),
    count: () => store.deliveries.count(),
    async retry(deliveryId) {
      if (!(await store.deliveries.revive(deliveryId))) {
        const id = deliveryId.slice(0, 80);
        throw new HubError('RESOURCE_NOT_FOUND', `There is no dead letter "${id}". Only those can be sent again.`);
      }
      wake();
    },
    start() {
      const closing = new AbortController();
      const abandoning = new AbortController();
      const signals = { closing: closing.signal, abandoning: abandoning.signal };
      const lanes: Promise<void>[] = [deliverElsewhere(signals), subscriptions.stayKnown(closing.signal)];
      deliver = (subscription) => void lanes.push(deliverToHandlers(subscription, signals));
      for (const subscription of subscriptions.all) deliver(subscription);
      const stopWatching = store.watch((concerns) => {
        if (concerns.includes('mail')) wake();
      });
      return {
        async close() {
          stopWatching();
          deliver = undefined;
          closing.abort();
          const ended = Promise.all(lanes);
          const patience = new AbortController();
          const isOver = clock.sleep(patienceMs, patience.signal).catch(() => {});
          await Promise.race([ended, isOver]);
          patience.abort();
          abandoning.abort();
          await ended;
          await subscriptions.leave();
        },
      };
    },
  };

  async function deliverElsewhere(signals: Signals): Promise<void> {
    try {
      const targets = [...(await senders())];
      await Promise.all(targets.map(([target, send]) => deliverTarget(parts, { target, send, wakers, ...signals })));
    } catch (error) {
      logger.error({ err: error }, 'webhooks and other targets of events cannot be used; their events wait');
    }
  }

  async function deliverToHandlers({ target, send, ended }: Subscription, signals: Signals): Promise<void> {
    const known = await target;
    if (known === undefined) return;
    const closing = AbortSignal.any([signals.closing, ended]);
    await deliverTarget(parts, { target: known, send, wakers, closing, abandoning: signals.abandoning });
  }
}

interface Signals {
  closing: AbortSignal;
  abandoning: AbortSignal;
}
