import type { TeamEvent } from './team.ts';
import type { EventSender, SendResult } from './team-events.ts';
import type { TeamParts } from './team-parts.ts';
import type { Delivery, Lease } from './team-store.ts';

export interface TargetLane {
  target: string;
  send: EventSender;
  /** This process, as other ones see it. */
  holder: string;
  /** The lane puts in what wakes it up. */
  wakers: Set<() => void>;
  /** No more is taken. */
  closing: AbortSignal;
  /** What still runs is given up: nobody renews its lease, and whoever takes it over sends it again. */
  abandoning: AbortSignal;
}

const mostAtOnce = 8;
/** For what other processes wrote and for what is due again. */
const pollMs = 3_000;
const attemptMs = 30_000;
/** While an attempt runs, its lease is renewed so often. */
const renewMs = 2_000;
/**
 * A lease that stood still for so many looks belongs to a process that is gone. Counted instead of compared with a clock, because
 * clocks jump, and those of two machines differ.
 */
const staleLooks = 3;
const mostErrorCharacters = 300;

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
  const running = new Map<string, { ended: Promise<void>; lost: AbortController }>();
  /** Leases that no attempt of this lane stands behind, and for how many looks they stood still. */
  let seen = new Map<string, Lease & { looks: number }>();
  let leasesReadAt = clock.now();
  let lookedAt = Number.POSITIVE_INFINITY;
  let isRenewing = false;
  let wake = () => {};
  const onWake = () => wake();
  lane.wakers.add(onWake);
  lane.closing.addEventListener('abort', onWake);
  while (!lane.closing.aborted) {
    // Made before the look, so that what arrives during it is not missed.
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const limit = mostAtOnce - running.size;
    const taken = limit === 0 ? [] : await take(limit);
    for (const delivery of taken) begin(delivery);
    // With all hands full, or perhaps more that is due, the next free hand looks again.
    const hasSlept = taken.length === limit ? await Promise.race([woken, ...ends()]) : await isLater(woken);
    // Mail that keeps coming wakes the lane before it has slept. A clock that jumps makes one look too early, which does no harm.
    const isTime = hasSlept === true || Math.abs(clock.now() - leasesReadAt) >= pollMs;
    if (isTime && !lane.closing.aborted) await takeOverStale();
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
      return await deliveries.take({ targets: [lane.target], now, holder: lane.holder, limit });
    } catch (error) {
      logger.warn({ err: error, target: lane.target }, 'events that are due could not be read');
      return [];
    }
  }

  function ends(): Promise<void>[] {
    return [...running.values()].map(({ ended }) => ended);
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

  async function takeOverStale(): Promise<void> {
    leasesReadAt = clock.now();
    try {
      // One of our own that nothing runs for is left from an attempt whose end could not be noted.
      const leases = (await deliveries.leases(lane.target)).filter(
        (lease) => lease.by !== lane.holder || !running.has(lease.id),
      );
      const next = new Map<string, Lease & { looks: number }>();
      for (const lease of leases) {
        const before = seen.get(lease.id);
        const looks = before?.by === lease.by && before.no === lease.no ? before.looks + 1 : 0;
        if (looks < staleLooks || running.size >= mostAtOnce) {
          next.set(lease.id, { ...lease, looks });
          continue;
        }
        const delivery = await deliveries.takeOver(lease, lane.holder);
        if (delivery) begin(delivery);
      }
      seen = next;
    } catch (error) {
      logger.warn({ err: error, target: lane.target }, 'events of processes that are gone could not be read');
    }
  }

  function begin(delivery: Delivery): void {
    const lost = new AbortController();
    const ended = deliver(delivery, lost.signal).finally(() => running.delete(delivery.id));
    running.set(delivery.id, { ended, lost });
    if (!isRenewing) void renewLeases();
  }

  /** For as long as anything runs. An attempt whose delivery somebody else has now is given up. */
  async function renewLeases(): Promise<void> {
    isRenewing = true;
    while (running.size > 0) {
      const waiting = new AbortController();
      const isDue = clock.sleep(renewMs, waiting.signal).then(
        () => true,
        () => false,
      );
      if (await Promise.race([isDue, Promise.all(ends()).then(() => false)])) await renewAll();
      waiting.abort();
    }
    isRenewing = false;
  }

  async function renewAll(): Promise<void> {
    const ids = [...running.keys()];
    try {
      const held = new Set(await deliveries.renew(ids, lane.holder));
      for (const id of ids) if (!held.has(id)) running.get(id)?.lost.abort();
    } catch (error) {
      logger.warn({ err: error, target: lane.target }, 'a delivery could not say that it is still under way');
    }
  }

  async function deliver(delivery: Delivery, lost: AbortSignal): Promise<void> {
    const result = await attempt(delivery, AbortSignal.any([lane.abandoning, lost]));
    if (result === 'abandoned') return;
    try {
      if (result.isDelivered) return await deliveries.done(delivery.id, clock.now());
      const delay = result.isFinal ? undefined : delays[delivery.attempts];
      const error = parts.redact(result.error).replace(/\s+/g, ' ').trim().slice(0, mostErrorCharacters);
      const fields = { target: lane.target, event: delivery.eventId, attempts: delivery.attempts + 1, error };
      logger.warn(
        fields,
        delay === undefined ? 'an event is a dead letter now' : 'an event could not be delivered yet',
      );
      const nextAttemptAt = delay === undefined ? null : clock.now() + delay;
      await deliveries.failed(delivery.id, { error, nextAttemptAt, holder: lane.holder });
    } catch (error) {
      // Nobody renews its lease, so this lane or another takes it over and delivers it again: at least once.
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
