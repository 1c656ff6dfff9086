import { newId } from '../../base/ids.ts';
import type { TeamReader } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import type { HubPeriod } from './members.store.ts';

type PresenceParts = Pick<TeamParts, 'clock' | 'settings' | 'store'>;

const maxBeatMs = 15_000;
const minBeatMs = 250;
/** Periods that ended earlier no longer matter. */
const keepPeriodsMs = 30 * 24 * 3_600_000;

/** Returns the pause between two heartbeats of a hub. It is short compared with the time after which a member counts as stalled. */
export function beatEveryMs({ stalledAfterMs }: TeamParts['settings']): number {
  return Math.min(maxBeatMs, Math.max(minBeatMs, stalledAfterMs / 20));
}

/** Returns the longest silence of a hub that does not count as an absence. */
const toleranceMs = (settings: TeamParts['settings']): number => 3 * beatEveryMs(settings);

/**
 * Records with each `beat` that this hub is running. A new period begins after a silence longer than the tolerance (the machine
 * slept, the process was stopped, or the clock was set), and if the stored period is gone after a restored backup.
 * `memberId` is the only member that can call this process; null means everyone can.
 */
export function hubPresence(
  { clock, settings, store }: PresenceParts,
  memberId: string | null = null,
): { beat(options?: { ifDue?: boolean }): Promise<void> } {
  const hub = newId('hub', clock.now());
  let period: Pick<HubPeriod, 'from' | 'to'> | undefined;
  let lastBeat: Promise<void> = Promise.resolve();
  async function beatOnce(ifDue: boolean): Promise<void> {
    const now = clock.now();
    const silentMs = period ? Math.abs(now - period.to) : Number.POSITIVE_INFINITY;
    if (ifDue && silentMs <= beatEveryMs(settings)) return;
    if (period && silentMs <= toleranceMs(settings) && (await store.extendPresence({ hub, now, period }))) {
      period = { from: period.from, to: now };
      return;
    }
    await store.write((rows) => rows.beginPresence({ hub, memberId, now, keepFrom: now - keepPeriodsMs }));
    period = { from: now, to: now };
  }
  return {
    beat({ ifDue = false } = {}) {
      const beat = lastBeat.then(() => beatOnce(ifDue));
      lastBeat = beat.catch(() => {});
      return beat;
    },
  };
}

/** Something timed: a member's silence, or a waiting task. */
interface Timed {
  /** Unique among everything that is timed. */
  key: string;
  since: number;
  /** The member that could have ended it with a call. */
  memberId: string | null;
}

/** Returns how long something has lasted, in milliseconds, without the time in which no hub could be called. */
export type PresentTime = (timed: Timed) => number;

/**
 * Returns a function that measures time during which a hub was present. A start in the future, written while a clock was ahead,
 * counts from the moment it was first seen.
 */
export function presentTimes({
  clock,
  settings,
}: Pick<TeamParts, 'clock' | 'settings'>): (rows: Pick<TeamReader, 'presence'>) => Promise<PresentTime> {
  const ahead = new Map<string, { since: number; seenAt: number }>();
  function startOf({ key, since }: Timed, now: number): number {
    if (since <= now) {
      ahead.delete(key);
      return since;
    }
    const known = ahead.get(key);
    if (known?.since === since && known.seenAt <= now) return known.seenAt;
    ahead.set(key, { since, seenAt: now });
    return now;
  }
  return async (rows) => {
    const now = clock.now();
    const absence = absenceIn(await rows.presence(), { now, tolerance: toleranceMs(settings) });
    return (timed) => {
      const start = startOf(timed, now);
      return now - start - absence(start, timed.memberId);
    };
  };
}

/**
 * Returns how long since a moment no hub was available to a member. A member with its own process (`zoo mcp --member`) can call
 * while any hub runs, because its machine is awake then. Others need a hub that everyone can call.
 */
function absenceIn(
  periods: readonly HubPeriod[],
  { now, tolerance }: { now: number; tolerance: number },
): (since: number, memberId: string | null) => number {
  const served = periods.filter(({ memberId }) => memberId === null);
  const gapsOfAll = gapsIn(periods, now, tolerance);
  const gapsOfServed = served.length > 0 ? gapsIn(served, now, tolerance) : gapsOfAll;
  return (since, memberId) => {
    const hasOwnHub =
      memberId !== null && periods.some((each) => each.memberId === memberId && each.to >= since - tolerance);
    const gaps = hasOwnHub ? gapsOfAll : gapsOfServed;
    return gaps.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, now) - Math.max(from, since)), 0);
  };
}

/** Returns the gaps between periods. The time before the first period is unknown, and does not count as a gap. */
function gapsIn(periods: readonly HubPeriod[], now: number, tolerance: number): [from: number, to: number][] {
  const gaps: [from: number, to: number][] = [];
  let seen: number | undefined;
  for (const { from, to } of periods.toSorted((a, b) => a.from - b.from)) {
    if (seen !== undefined && from > seen) gaps.push([seen, from]);
    seen = Math.max(seen ?? to, to);
  }
  if (seen !== undefined && now - seen > tolerance) gaps.push([seen, now]);
  return gaps;
}
