import { HubError } from '../base/hub-error.ts';
import { deliverTarget } from './deliver-target.ts';
import type { TeamEvent, TeamEvents } from './team.ts';
import type { TeamParts } from './team-parts.ts';

/** Brings one event to one target. A failure is returned or thrown; its text is kept where people see it. */
export type EventSender = (event: TeamEvent, signal: AbortSignal) => Promise<SendResult>;

export type SendResult =
  | { isDelivered: true }
  /** `isFinal`: the target wants no further attempt. */
  | { isDelivered: false; error: string; isFinal: boolean };

type Handler = (event: TeamEvent) => void | Promise<void>;

/** While it closes, running deliveries have so long to end by themselves. */
const patienceMs = 2_000;

/** The outbox: each target has a lane of its own, so that a slow one holds up nobody. `senders` are asked for at the start. */
export function teamEvents(
  parts: Pick<TeamParts, 'store' | 'clock' | 'logger' | 'redact'>,
  senders: () => ReadonlyMap<string, EventSender> | Promise<ReadonlyMap<string, EventSender>>,
): TeamEvents {
  const { clock, logger, store } = parts;
  const handlers = new Map<string, Set<Handler>>();
  const wakers = new Set<() => void>();
  const wake = () => {
    for (const each of wakers) each();
  };

  return {
    on(type, handler) {
      // An entry of its own, so that a function registered twice is taken away once.
      const entry: Handler = (event) => handler(event);
      const ofType = handlers.get(type) ?? new Set();
      handlers.set(type, ofType.add(entry));
      return () => {
        ofType.delete(entry);
      };
    },
    deliveries: ({ state, limit = 50, cursor } = {}) => store.deliveries.list({ state, limit, cursor }),
    count: () => store.deliveries.count(),
    async retry(deliveryId) {
      if (!(await store.deliveries.revive(deliveryId, clock.now()))) {
        const id = deliveryId.slice(0, 80);
        throw new HubError('RESOURCE_NOT_FOUND', `There is no dead letter "${id}". Only those can be sent again.`);
      }
      wake();
    },
    start() {
      const closing = new AbortController();
      const abandoning = new AbortController();
      const ended = run({ closing: closing.signal, abandoning: abandoning.signal });
      const stopWatching = store.watch((concerns) => {
        if (concerns.includes('mail')) wake();
      });
      return {
        async close() {
          stopWatching();
          closing.abort();
          const patience = new AbortController();
          const isOver = clock.sleep(patienceMs, patience.signal).catch(() => {});
          await Promise.race([ended, isOver]);
          patience.abort();
          abandoning.abort();
          await ended;
        },
      };
    },
  };

  async function run(signals: { closing: AbortSignal; abandoning: AbortSignal }): Promise<void> {
    const targets = new Map<string, EventSender>([['handlers', callHandlers]]);
    try {
      for (const [target, send] of await senders()) targets.set(target, send);
    } catch (error) {
      logger.error({ err: error }, 'webhooks and other targets of events cannot be used; their events wait');
    }
    await Promise.all([...targets].map(([target, send]) => deliverTarget(parts, { target, send, wakers, ...signals })));
  }

  /** All of them, even when one throws; the event is brought to all of them again then. */
  async function callHandlers(event: TeamEvent): Promise<SendResult> {
    const called = [...(handlers.get(event.type) ?? [])].map(async (handler) => handler(event));
    const failed = (await Promise.allSettled(called)).find((result) => result.status === 'rejected');
    if (!failed) return { isDelivered: true };
    logger.error({ err: failed.reason, event: event.id, type: event.type }, 'a handler of an event failed');
    const error = failed.reason instanceof Error ? failed.reason.message : String(failed.reason);
    return { isDelivered: false, error, isFinal: false };
  }
}
