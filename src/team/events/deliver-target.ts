import type { TeamParts } from '../team-parts.ts';
import type { Delivery } from './deliveries.contract.ts';

export interface TeamEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
  at: string;
}

/** Sends one event to one target. Failures are returned or thrown; their text is stored for the user. */
export type EventSender = (event: TeamEvent, signal: AbortSignal) => Promise<SendResult>;

export type SendResult =
  | { isDelivered: true }
  /** `isFinal`: no further attempt is made. */
  | { isDelivered: false; error: string; isFinal: boolean };

export interface TargetLane {
  target: string;
  send: EventSender;
  /** The lane adds a function that wakes it. */
  wakers: Set<() => void>;
  /** When aborted, the lane takes no more deliveries. */
  closing: AbortSignal;
  /** When aborted, running deliveries are given up; the process that takes them over sends them again. */
  abandoning: AbortSignal;
}

const maxAtOnce = 8;
/** How often to look for events from other processes and for due retries. */
const pollMs = 3_000;
const attemptMs = 30_000;
const maxErrorCharacters = 300;

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** The delay after each failed attempt. A failure after the last delay makes a dead letter. */
const delays = [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour];

/** Delivers due events to one target until closed. Never rejects. */
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
    // Created before the look, so that an event arriving during it is not missed.
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const limit = maxAtOnce - running.size;
    const taken = limit === 0 ? [] : await take(limit);
    for (const delivery of taken) begin(delivery);
    // If all slots are full, or more may be due, looks again when a delivery ends.
    const hasSlept = taken.length === limit ? await Promise.race([woken, ...ends()]) : await sleepUnless(woken);
    // A steady stream of mail wakes the lane before it has slept, so the time counts too.
    const isTime = hasSlept === true || Math.abs(clock.now() - lookedForLeftAt) >= pollMs;
    if (isTime && !lane.closing.aborted) await takeAbandoned();
  }
  lane.wakers.delete(onWake);
  lane.closing.removeEventListener('abort', onWake);
  await Promise.all(ends());

  async function take(limit: number): Promise<Delivery[]> {
    try {
      const now = clock.now();
      // The clock was set back, perhaps while no process was running.
      if (now < lookedAt) await deliveries.bringForward({ target: lane.target, now, delays: [0, ...delays] });
      lookedAt = now;
      return await deliveries.take({ targets: [lane.target], now, limit });
    } catch (error) {
      logger.warn({ err: error, target: lane.target }, 'could not read due events');
      return [];
    }
  }

  function ends(): Promise<void>[] {
    return [...running.values()];
  }

  /** Sleeps until the next look. Returns false if woken earlier. */
  async function sleepUnless(woken: Promise<void>): Promise<boolean> {
    const waiting = new AbortController();
    const later = clock.sleep(pollMs, waiting.signal).then(
      () => true,
      () => false,
    );
    const result = await Promise.race([woken.then(() => false), later]);
    waiting.abort();
    return result;
  }

  async function takeAbandoned(): Promise<void> {
    lookedForLeftAt = clock.now();
    const limit = maxAtOnce - running.size;
    if (limit === 0) return;
    try {
      const left = await deliveries.takeAbandoned({ target: lane.target, running: new Set(running.keys()), limit });
      for (const delivery of left) begin(delivery);
    } catch (error) {
      logger.warn({ err: error, target: lane.target }, 'could not read events of processes that are gone');
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
        delay === undefined ? 'an event became a dead letter' : 'an event could not be delivered; it will be retried',
      );
      const nextAttemptAt = delay === undefined ? null : clock.now() + delay;
      await deliveries.failed(delivery.id, { error, nextAttemptAt });
    } catch (error) {
      // The event is delivered again, by this lane or another process: delivery is at least once.
      logger.error({ err: error, target: lane.target, event: delivery.eventId }, 'could not record a delivery');
    }
  }

  async function attempt(delivery: Delivery, abandoning: AbortSignal): Promise<SendResult | 'abandoned'> {
    // A listener added after the abort would not be called.
    if (abandoning.aborted) return 'abandoned';
    const over = new AbortController();
    const signal = AbortSignal.any([abandoning, over.signal]);
    const abandoned = new Promise<'abandoned'>((resolve) => {
      abandoning.addEventListener('abort', () => resolve('abandoned'), { once: true, signal: over.signal });
    });
    const tooLate = clock.sleep(attemptMs, signal).then(
      () => failure(`It timed out after ${attemptMs / second} s.`),
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
  // `postMail` wrote it, and it is always an object.
  return { id: eventId, type, data: JSON.parse(data) as Record<string, unknown>, at: createdAt };
}
