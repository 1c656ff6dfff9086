import type { TeamParts } from './team-parts.ts';
import type { HubPeriod, TeamReader } from './team-store.ts';

type PresenceParts = Pick<TeamParts, 'clock' | 'settings' | 'store'>;

const longestBeatMs = 15_000;
const shortestBeatMs = 250;
/** Periods that ended earlier matter to nobody. */
const keepPeriodsMs = 30 * 24 * 3_600_000;

/** How often a hub says that it is there: often enough for the time after which a member is stalled. */
export function beatEveryMs({ stalledAfterMs }: TeamParts['settings']): number {
  return Math.min(longestBeatMs, Math.max(shortestBeatMs, stalledAfterMs / 20));
}

/** A hub that said nothing for longer was not there. */
const toleranceMs = (settings: TeamParts['settings']): number => 3 * beatEveryMs(settings);

/**
 * Says that a hub is there, with `beat`. A silence longer than the tolerance begins a new period: the machine slept, the process
 * was stopped, no hub ran, or the clock jumped ahead. What another hub said meanwhile counts for all of them.
 */
export function hubPresence({ clock, settings, store }: PresenceParts): { beat(): Promise<void> } {
  let lastBeat: number | undefined;
  return {
    async beat() {
      const now = clock.now();
      const tolerance = toleranceMs(settings);
      // A clock of another machine that differs must not look like an absence while this hub knows that it was there.
      const wasHere = lastBeat !== undefined && now - lastBeat <= tolerance;
      await store.write((rows) =>
        rows.notePresence({ now, continues: wasHere ? undefined : now - tolerance, keepFrom: now - keepPeriodsMs }),
      );
      lastBeat = now;
    },
  };
}

/** Tells how much of the time from a moment until now no hub was there: nobody could call, so it counts against nobody. */
export async function readAbsence(
  { clock, settings }: Pick<TeamParts, 'clock' | 'settings'>,
  rows: Pick<TeamReader, 'presence'>,
): Promise<(since: number) => number> {
  const now = clock.now();
  const gaps = gapsIn(await rows.presence(), now, toleranceMs(settings));
  return (since) => gaps.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, now) - Math.max(from, since)), 0);
}

/** Nothing is known of the time before the first period: a hub may have been there. */
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
