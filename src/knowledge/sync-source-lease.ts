import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceState, SourceStore } from './knowledge-store.ts';

const leaseMs = 60_000;
const renewMs = 15_000;

export interface Lease {
  /** Aborted when somebody else has taken the source over. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * One sync of a source at a time, in all processes. A lease of a process of this machine that is dead is taken over
 * at once, any other when it has run out. Throws CONFLICT, with who has it.
 */
export async function takeLease(
  { sources, clock, logger }: { sources: SourceStore; clock: Clock; logger: Logger },
  source: string,
): Promise<Lease> {
  const holder = `process ${process.pid} on ${hostname()} (${here}.${newId('sync')})`;
  const extend = () => sources.lease(source, holder, clock.now() + leaseMs);
  try {
    await extend();
  } catch (error) {
    const [state] = (await sources.states()).filter((each) => each.source === source);
    if (!isConflict(error) || !state?.holder || !isDead(state.holder)) throw error;
    await sources.release(source, state.holder);
    await extend();
  }
  const lost = new AbortController();
  // A timer and not the clock: it must go on while nobody waits for it.
  const timer = setInterval(renew, renewMs).unref();
  return {
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await sources.release(source, holder).catch((error: unknown) => {
        logger.warn({ err: error, source }, 'a lease could not be given back; it runs out by itself');
      });
    },
  };

  function renew(): void {
    extend().catch((error: unknown) => {
      if (isConflict(error)) {
        lost.abort(new HubError('CONFLICT', `Another process has taken over the sync of ${source}.`));
      } else logger.warn({ err: error, source }, 'a lease could not be extended');
    });
  }
}

/** Segments that were opened before this moment belong to nobody: no sync that may still write is so old. */
export function oldestLiveSync(states: readonly SourceState[], own: { source: string; startedAt: number }): number {
  const others = states.filter(
    ({ source, holder, leasedUntil }) =>
      source !== own.source && holder !== null && (leasedUntil ?? 0) > own.startedAt && !isDead(holder),
  );
  return Math.min(own.startedAt, ...others.map((state) => state.startedAt ?? own.startedAt));
}

/** Process numbers mean something only within one of these. */
const here = `${processSpace()}.${Math.round(performance.timeOrigin)}`;

function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}

/** Told only where there is no doubt: same machine, and no such process, or an earlier one with our own number. */
export function isDead(holder: string): boolean {
  const parts = /^process (\d+) on (.+) \((\d+)\.(\d+)\.\w+\)$/.exec(holder);
  if (!parts) return false;
  const [, pid, host, space, started] = parts;
  if (host !== hostname() || space !== processSpace()) return false;
  if (Number(pid) === process.pid) return Number(started) !== Math.round(performance.timeOrigin);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof HubError && error.code === 'CONFLICT';
}
