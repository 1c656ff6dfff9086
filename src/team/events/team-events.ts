import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import type { TeamParts } from '../team-parts.ts';
import { deliverTarget, type EventSender, type SendResult, type TeamEvent } from './deliver-target.ts';
import type { Delivery } from './deliveries.contract.ts';

export type TeamEvents = ReturnType<typeof teamEvents>;

/** How long running deliveries may take to finish while closing. */
const patienceMs = 2_000;

/** Delivers the team's events. Each target has its own lane, so that a slow one does not delay the others. */
export function teamEvents(
  parts: Pick<TeamParts, 'store' | 'clock' | 'logger' | 'redact'>,
  { senders, watchSenders }: SenderSource,
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
     * Adds a handler in this process. It is called at least once for each event from now on, and again later if it throws. With a
     * `subscriber`, each event goes to one of the processes that use the same name, and waits if none is running. Without one, every
     * process receives every event; unhandled events wait for the next start of the same program.
     */
    on: (type: string, handler: EventHandler, { subscriber }: { subscriber?: string | undefined } = {}) =>
      subscriptions.add(type, handler, subscriber),
    /** Resolves when the store knows every handler added so far. */
    registered: () => subscriptions.registered(),
    deliveries: ({ state, limit = 50, cursor }: DeliveryQuery = {}) => store.deliveries.list({ state, limit, cursor }),
    deadLetters: (query: { since: number; limit: number }) => store.deliveries.deadLetters(query),
    count: () => store.deliveries.count(),
    /** Makes a dead letter due again. Throws RESOURCE_NOT_FOUND if it is not a dead letter. */
    async retry(deliveryId: string): Promise<void> {
      if (!(await store.deliveries.revive(deliveryId))) {
        const id = deliveryId.slice(0, 80);
        throw new HubError(
          'RESOURCE_NOT_FOUND',
          `There is no dead letter "${id}". "zoo team events --state dead" lists them.`,
        );
      }
      wake();
    },
    /** Delivers events until closed. */
    start(): { close(): Promise<void> } {
      const closing = new AbortController();
      const abandoning = new AbortController();
      const signals = { closing: closing.signal, abandoning: abandoning.signal };
      const lanes: Promise<void>[] = [deliverToTargets(signals), subscriptions.stayKnown(closing.signal)];
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

  /** Keeps one lane for each sender. A sender that was replaced gets a new lane, and one that was removed has none. */
  async function deliverToTargets(signals: Signals): Promise<void> {
    const lanes = new Map<string, { send: EventSender; ending: AbortController; ended: Promise<void> }>();
    while (!signals.closing.aborted) {
      const changed = nextChange(signals.closing);
      try {
        const targets = await senders();
        for (const [target, lane] of lanes)
          if (targets.get(target) !== lane.send) {
            lanes.delete(target);
            lane.ending.abort();
            await lane.ended;
          }
        for (const [target, send] of targets) {
          if (lanes.has(target)) continue;
          const ending = new AbortController();
          const closing = AbortSignal.any([signals.closing, ending.signal]);
          const ended = deliverTarget(parts, { target, send, wakers, closing, abandoning: signals.abandoning });
          lanes.set(target, { send, ending, ended });
        }
      } catch (error) {
        logger.error({ err: error }, 'webhooks and other event targets cannot be used; their events wait');
      }
      await changed;
    }
    await Promise.all([...lanes.values()].map(({ ended }) => ended));
  }

  /** Resolves after the next change to the senders, or when the signal aborts. */
  function nextChange(closing: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const stop = watchSenders?.(done);
      closing.addEventListener('abort', done, { once: true });
      function done(): void {
        stop?.();
        closing.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  async function deliverToHandlers({ target, send, ended }: Subscription, signals: Signals): Promise<void> {
    const known = await target;
    if (known === undefined) return;
    const closing = AbortSignal.any([signals.closing, ended]);
    await deliverTarget(parts, { target: known, send, wakers, closing, abandoning: signals.abandoning });
  }
}

interface SenderSource {
  senders(): ReadonlyMap<string, EventSender> | Promise<ReadonlyMap<string, EventSender>>;
  watchSenders?: ((onChange: () => void) => () => void) | undefined;
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

type EventHandler = (event: TeamEvent) => void | Promise<void>;

interface Subscription {
  type: string;
  /** The target of its deliveries, once stored. Undefined if that failed. */
  target: Promise<string | undefined>;
  send: EventSender;
  /** Aborted when the last handler is removed. */
  ended: AbortSignal;
}

const seenEveryMs = 20_000;

/**
 * The handlers of this process, as subscribers in the store. Each event has one delivery per subscriber. Handlers without a name
 * belong to their process; the next process of the same program takes over their pending deliveries.
 */
class HandlerSubscriptions {
  readonly #parts: Pick<TeamParts, 'store' | 'clock' | 'logger'>;
  readonly #onAdded: (subscription: Subscription) => void;
  readonly #active = new Map<string, ActiveSubscription>();

  constructor(parts: Pick<TeamParts, 'store' | 'clock' | 'logger'>, onAdded: (subscription: Subscription) => void) {
    this.#parts = parts;
    this.#onAdded = onAdded;
  }

  get all(): readonly Subscription[] {
    return [...this.#active.values()];
  }

  add(type: string, handler: EventHandler, subscriber: string | undefined): () => void {
    const key = JSON.stringify([type, subscriber]);
    const active = this.#active.get(key) ?? this.#register(key, type, subscriber);
    // A new function each time, so that a handler added twice can be removed once.
    const entry: EventHandler = (event) => handler(event);
    active.handlers.add(entry);
    return () => {
      active.handlers.delete(entry);
      if (active.handlers.size > 0 || this.#active.get(key) !== active) return;
      this.#active.delete(key);
      active.ending.abort();
      if (subscriber === undefined) void this.#forget(active);
    };
  }

  /** Resolves when the store knows every handler added so far. */
  async registered(): Promise<void> {
    await Promise.all(this.all.map((each) => each.target));
  }

  /** Regularly marks the handlers of this process as in use. */
  async stayKnown(closing: AbortSignal): Promise<void> {
    const { clock, logger, store } = this.#parts;
    while (!closing.aborted) {
      await clock.sleep(seenEveryMs, closing).catch(() => {});
      const known = await this.#known();
      if (closing.aborted || known.length === 0) continue;
      await store.subscribers
        .seen(known, clock.now())
        .catch((error: unknown) => logger.warn({ err: error }, 'could not mark event handlers as in use'));
    }
  }

  /** Leaves later events to the next process of this program. */
  async leave(): Promise<void> {
    const { clock, store } = this.#parts;
    const targets = (await this.#known()).map(({ target }) => target);
    if (targets.length > 0) await store.subscribers.leave(targets, clock.now()).catch(() => {});
  }

  async #known(): Promise<{ target: string; type: string }[]> {
    const known = await Promise.all(this.all.map(async ({ target, type }) => ({ target: await target, type })));
    return known.flatMap(({ target, type }) => (target === undefined ? [] : { target, type }));
  }

  #register(key: string, type: string, subscriber: string | undefined): ActiveSubscription {
    const { clock, logger, store } = this.#parts;
    const handlers = new Set<EventHandler>();
    const ending = new AbortController();
    const who = subscriber === undefined ? { program: programName() } : { name: subscriber };
    const target = store.subscribers.register({ type, now: clock.now(), ...who }).catch((error: unknown) => {
      logger.error({ err: error, type }, 'could not register an event handler; it will receive no events');
      this.#active.delete(key);
      return undefined;
    });
    const active = { type, target, handlers, ending, ended: ending.signal, send: callAll(handlers, logger) };
    this.#active.set(key, active);
    this.#onAdded(active);
    return active;
  }

  async #forget({ target }: Subscription): Promise<void> {
    const known = await target;
    if (known !== undefined) await this.#parts.store.subscribers.forget(known).catch(() => {});
  }
}

interface ActiveSubscription extends Subscription {
  handlers: Set<EventHandler>;
  ending: AbortController;
}

/** Calls all handlers, even if one throws. In that case the event is delivered to all of them again. */
function callAll(handlers: ReadonlySet<EventHandler>, logger: TeamParts['logger']): EventSender {
  return async (event): Promise<SendResult> => {
    const called = [...handlers].map(async (handler) => handler(event));
    const failed = (await Promise.allSettled(called)).find((result) => result.status === 'rejected');
    if (!failed) return { isDelivered: true };
    logger.error({ err: failed.reason, event: event.id, type: event.type }, 'an event handler failed');
    const error = failed.reason instanceof Error ? failed.reason.message : String(failed.reason);
    return { isDelivered: false, error, isFinal: false };
  };
}

/** Returns a name that stays the same across restarts of the program. */
function programName(): string {
  const [, script = 'node'] = process.argv;
  return `${basename(script)}-${createHash('sha256').update(script).digest('hex').slice(0, 8)}`;
}
