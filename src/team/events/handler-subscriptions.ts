import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { TeamParts } from '../team-parts.ts';
import type { EventSender, SendResult, TeamEvent } from './deliver-target.ts';

export type EventHandler = (event: TeamEvent) => void | Promise<void>;

export interface Subscription {
  type: string;
  /** Where its deliveries go, once the store knows of it. Undefined when that failed or nobody wants it any more. */
  target: Promise<string | undefined>;
  send: EventSender;
  /** No handler is left. */
  ended: AbortSignal;
}

const seenEveryMs = 20_000;

/**
 * The handlers of this process as subscribers that the store knows: an event has a delivery for each, and nobody else takes it.
 * Handlers without a name belong to their process; the next process of the same program takes up what they left.
 */
export class HandlerSubscriptions {
  readonly #parts: Pick<TeamParts, 'store' | 'clock' | 'logger'>;
  readonly #onAdded: (subscription: Subscription) => void;
  readonly #held = new Map<string, HeldSubscription>();

  constructor(parts: Pick<TeamParts, 'store' | 'clock' | 'logger'>, onAdded: (subscription: Subscription) => void) {
    this.#parts = parts;
    this.#onAdded = onAdded;
  }

  get all(): readonly Subscription[] {
    return [...this.#held.values()];
  }

  add(type: string, handler: EventHandler, subscriber: string | undefined): () => void {
    const key = JSON.stringify([type, subscriber]);
    const held = this.#held.get(key) ?? this.#register(key, type, subscriber);
    // An entry of its own, so that a function registered twice is taken away once.
    const entry: EventHandler = (event) => handler(event);
    held.handlers.add(entry);
    return () => {
      held.handlers.delete(entry);
      if (held.handlers.size > 0 || this.#held.get(key) !== held) return;
      this.#held.delete(key);
      held.ending.abort();
      if (subscriber === undefined) void this.#forget(held);
    };
  }

  /** Resolves when the store knows of every handler that was added so far. */
  async registered(): Promise<void> {
    await Promise.all(this.all.map((each) => each.target));
  }

  /** Says again and again that this process is there. */
  async stayKnown(closing: AbortSignal): Promise<void> {
    const { clock, logger, store } = this.#parts;
    while (!closing.aborted) {
      await clock.sleep(seenEveryMs, closing).catch(() => {});
      const known = await this.#known();
      if (closing.aborted || known.length === 0) continue;
      await store.subscribers
        .seen(known, clock.now())
        .catch((error: unknown) => logger.warn({ err: error }, 'handlers of events could not say that they are there'));
    }
  }

  /** What comes from now on waits for the next process of this program. */
  async leave(): Promise<void> {
    const { clock, store } = this.#parts;
    const targets = (await this.#known()).map(({ target }) => target);
    if (targets.length > 0) await store.subscribers.leave(targets, clock.now()).catch(() => {});
  }

  async #known(): Promise<{ target: string; type: string }[]> {
    const known = await Promise.all(this.all.map(async ({ target, type }) => ({ target: await target, type })));
    return known.flatMap(({ target, type }) => (target === undefined ? [] : { target, type }));
  }

  #register(key: string, type: string, subscriber: string | undefined): HeldSubscription {
    const { clock, logger, store } = this.#parts;
    const handlers = new Set<EventHandler>();
    const ending = new AbortController();
    const who = subscriber === undefined ? { program: programName() } : { name: subscriber };
    const target = store.subscribers.register({ type, now: clock.now(), ...who }).catch((error: unknown) => {
      logger.error({ err: error, type }, 'a handler of events could not be registered; it hears of nothing');
      this.#held.delete(key);
      return undefined;
    });
    const held = { type, target, handlers, ending, ended: ending.signal, send: callAll(handlers, logger) };
    this.#held.set(key, held);
    this.#onAdded(held);
    return held;
  }

  async #forget({ target }: Subscription): Promise<void> {
    const known = await target;
    if (known !== undefined) await this.#parts.store.subscribers.forget(known).catch(() => {});
  }
}

interface HeldSubscription extends Subscription {
  handlers: Set<EventHandler>;
  ending: AbortController;
}

/** All of them, even when one throws; the event is brought to all of them again then. */
function callAll(handlers: ReadonlySet<EventHandler>, logger: TeamParts['logger']): EventSender {
  return async (event): Promise<SendResult> => {
    const called = [...handlers].map(async (handler) => handler(event));
    const failed = (await Promise.allSettled(called)).find((result) => result.status === 'rejected');
    if (!failed) return { isDelivered: true };
    logger.error({ err: failed.reason, event: event.id, type: event.type }, 'a handler of an event failed');
    const error = failed.reason instanceof Error ? failed.reason.message : String(failed.reason);
    return { isDelivered: false, error, isFinal: false };
  };
}

/** Stays the same when the program is started again. */
function programName(): string {
  const [, script = 'node'] = process.argv;
  return `${basename(script)}-${createHash('sha256').update(script).digest('hex').slice(0, 8)}`;
}
