import type { Delivery } from '../members/members.contract.ts';
import type { TeamParts } from '../team-parts.ts';

export interface TeamEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
  at: string;
}

/** Brings one event to one target. A failure is returned or thrown; its text is kept where people see it. */
export type EventSender = (event: TeamEvent, signal: AbortSignal) => Promise<SendResult>;

export type SendResult =
  | { isDelivered: true }
  /** `isFinal`: the target wants no further attempt. */
  | { isDelivered: false; error: string; isFinal: boolean };

export interface TargetLane {
  target: string;
  send: EventSender;
  /** The lane puts in what wakes it up. */
  wakers: Set<() => void>;
  /** No more is taken. */
  closing: AbortSignal;
  /** What still runs is given up, and whoever takes it over sends it again. */
  abandoning: AbortSignal;
}

const maxAtOnce = 8;
/** For what other processes wrote and for what is due again. */
const pollMs = 3_000;
const attemptMs = 30_000;
const maxErrorCharacters = 300;

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** After each failed attempt but the last one, which makes a dead letter. */
const delays = [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour];

/** Delivers what is due for one target until it is closed. Never rejects. */
export async function deliverTarget(
  parts: Pick<TeamParts, 'store' | 'clock' | 'logger' | 'redact'>,
  lane: TargetLane,
): Promise<void> {
  const { clock, logger } = parts;
  const { deliveries } = parts.store;
  const running = new Map<string, Promise<void>>();
  let lookedForLeftAt = clock.now();
  let lookedAt = Number.POSITIVE_INFINITY;
  let wake = () => {};
  const onWake = () => wake();
  lane.wakers.add(onWake);
  lane.closing.addEventListener('abort', onWake);
  while (!lane.closing.aborted) {
    // Made before the look, so that what arrives during it is not missed.
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const limit = maxAtOnce - running.size;
    const taken = limit === 0 ? [] : await take(limit);
    for (const delivery of taken) begin(delivery);
    // With all hands full, or perhaps more that is due, the next free hand looks again.
    const hasSlept = taken.length === limit ? await Promise.race([woken, ...ends()]) : await isLater(woken);
    // Mail that keeps coming wakes the lane before it has slept. A clock that jumps makes one look too early, which does no harm.
    const isTime = hasSlept === true || Math.abs(clock.now() - lookedForLeftAt) >= pollMs;
    if (isTime && !lane.closing.aborted) await takeLeft();
  }
  lane.wakers.delete(onWake);
  lane.closing.removeEventListener('abort', onWake);
  await Promise.all(ends());

  async function take(limit: number): Promise<Delivery[]> {
    try {
      const now = clock.now();
      // The clock was set back, perhaps while no process was there.
      if (now < lookedAt) await deliveries.bringForward({ target: lane.target, now, delays: [0, ...delays] });
      lookedAt = now;
      return await deliveries.take({ targets: [lane.target], now, limit });
    } catch (error) {
      logger.warn({ err: error, target: lane.target }, 'events that are due could not be read');
      return [];
    }
  }

  function ends(): Promise<void>[] {
    return [...running.values()];
  }

  /** False when it was woken before the time for the next look. */
  async function isLater(woken: Promise<void>): Promise<boolean> {
    const waiting = new AbortController();
    const later = clock.sleep(pollMs, waiting.signal).then(
      () => true,
      () => false,
    );
    const result = await Promise.race([woken.then(() => false), later]);
    waiting.abort();
    return result;
  }

  async function takeLeft(): Promise<void> {
    lookedForLeftAt = clock.now();
    const limit = maxAtOnce - running.size;
    if (limit === 0) return;
    try {
      const left = await deliveries.takeLeft({ target: lane.target, running: new Set(running.keys()), limit });
      for (const delivery of left) begin(delivery);
    } catch (error) {
      logger.warn({ err: error, target: lane.target }, 'events of processes that are gone could not be read');
    }
  }

  function begin(delivery: Delivery): void {
    running.set(
      delivery.id,
      deliver(delivery).finally(() => running.delete(delivery.id)),
    );
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const result = await attempt(delivery, lane.abandoning);
    if (result === 'abandoned') return;
    try {
      if (result.isDelivered) return await deliveries.done(delivery.id, clock.now());
      const delay = result.isFinal ? undefined : delays[delivery.attempts];
      const error = parts.redact(result.error).replace(/\s+/g, ' ').trim().slice(0, maxErrorCharacters);
      const fields = { target: lane.target, event: delivery.eventId, attempts: delivery.attempts + 1, error };
      logger.warn(
        fields,
        delay === undefined ? 'an event is a dead letter now' : 'an event could not be delivered yet',
      );
      const nextAttemptAt = delay === undefined ? null : clock.now() + delay;
      await deliveries.failed(delivery.id, { error, nextAttemptAt });
    } catch (error) {
      // This lane, or that of another process when this one has ended, delivers it again: at least once.
      logger.error({ err: error, target: lane.target, event: delivery.eventId }, 'a delivery could not be noted');
    }
  }

  async function attempt(delivery: Delivery, abandoning: AbortSignal): Promise<SendResult | 'abandoned'> {
    // An event that has happened already reaches no listener.
    if (abandoning.aborted) return 'abandoned';
    const over = new AbortController();
    const signal = AbortSignal.any([abandoning, over.signal]);
    const abandoned = new Promise<'abandoned'>((resolve) => {
      abandoning.addEventListener('abort', () => resolve('abandoned'), { once: true, signal: over.signal });
    });
    const tooLate = clock.sleep(attemptMs, signal).then(
      () => failure(`It was not done within ${attemptMs / second} s.`),
      () => new Promise<never>(() => {}),
    );
    try {
      return await Promise.race([lane.send(toEvent(delivery), signal), abandoned, tooLate]);
    } catch (error) {
      if (abandoning.aborted) return 'abandoned';
      return failure(error instanceof Error ? error.message : String(error));
    } finally {
      over.abort();
    }
  }
}

function failure(error: string): SendResult {
  return { isDelivered: false, error, isFinal: false };
}

function toEvent({ eventId, type, data, createdAt }: Delivery): TeamEvent {
  // Written by `addEvent`, always an object.
  return { id: eventId, type, data: JSON.parse(data) as Record<string, unknown>, at: createdAt };
}
