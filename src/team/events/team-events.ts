import { HubError } from '../../base/hub-error.ts';
import type { Delivery } from '../members/members.contract.ts';
import type { TeamParts } from '../team-parts.ts';
import { deliverTarget, type EventSender } from './deliver-target.ts';
import { type EventHandler, HandlerSubscriptions, type Subscription } from './handler-subscriptions.ts';

export type TeamEvents = ReturnType<typeof teamEvents>;

/** While it closes, running deliveries have so long to end by themselves. */
const patienceMs = 2_000;

/** The outbox: each target has a lane of its own, so that a slow one holds up nobody. `senders` are asked for at the start. */
export function teamEvents(
  parts: Pick<TeamParts, 'store' | 'clock' | 'logger' | 'redact'>,
  senders: () => ReadonlyMap<string, EventSender> | Promise<ReadonlyMap<string, EventSender>>,
) {
  const { clock, logger, store } = parts;
  const wakers = new Set<() => void>();
  const wake = () => {
    for (const each of wakers) each();
  };
  let deliver: ((subscription: Subscription) => void) | undefined;
  const subscriptions = new HandlerSubscriptions(parts, (added) => deliver?.(added));

  return {
    /**
     * Adds a handler in this process; at least once for each event from now on. One that throws is called again later. With a
     * `subscriber`, each event goes to one of the processes that use the same name, and waits while there is none. Without one,
     * every process hears every event; what it has not handled when it ends waits for the next start of the same program.
     */
    on: (type: string, handler: EventHandler, { subscriber }: { subscriber?: string | undefined } = {}) =>
      subscriptions.add(type, handler, subscriber),
    /** Resolves when every handler added so far is known to all processes. */
    registered: () => subscriptions.registered(),
    deliveries: ({ state, limit = 50, cursor }: DeliveryQuery = {}) => store.deliveries.list({ state, limit, cursor }),
    count: () => store.deliveries.count(),
    /** Throws RESOURCE_NOT_FOUND when it is no dead letter. */
    async retry(deliveryId: string): Promise<void> {
      if (!(await store.deliveries.revive(deliveryId))) {
        const id = deliveryId.slice(0, 80);
        throw new HubError('RESOURCE_NOT_FOUND', `There is no dead letter "${id}". Only those can be sent again.`);
      }
      wake();
    },
    /** Delivers until it is closed. */
    start(): { close(): Promise<void> } {
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

type DeliveryQuery = {
  state?: Delivery['state'] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

interface Signals {
  closing: AbortSignal;
  abandoning: AbortSignal;
}
