import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import { isRunning } from '../base/is-running.ts';
import type { Logger } from '../base/logger.ts';
import { Standstill } from '../base/standstill.ts';
import type { SeenLease, SourceState, SourceStore } from './knowledge-store.ts';

const leaseMs = 60_000;
const renewMs = 15_000;
/** By holder, of which there are no two with one name. */
const leases = new Standstill();

export interface Lease {
  /** Aborted when somebody else has taken the source over. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** One sync of a source at a time, in all processes. Throws CONFLICT, with who has it. */
export async function takeLease(
  { sources, logger }: { sources: SourceStore; logger: Logger },
  source: string,
): Promise<Lease> {
  const holder = `process ${process.pid} on ${hostname()} (${here}.${newId('sync')})`;
  const before = (await sources.states()).find((each) => each.source === source);
  await sources.lease(source, holder, leaseMs, before && !isHeld(before) ? before : undefined);
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
    sources.lease(source, holder, leaseMs).catch((error: unknown) => {
      if (isConflict(error)) {
        lost.abort(new HubError('CONFLICT', `Another process has taken over the sync of ${source}.`));
      } else logger.warn({ err: error, source }, 'a lease could not be extended');
    });
  }
}

/**
 * Returns whether a sync that may still write has the lease. Whoever renews it is there, whatever the clocks say. The store's clock
 * decides only about other machines; a process that runs on this one, or a number that another process has got since, is gone when
 * its lease stands still.
 */
export function isHeld({ holder, leasedUntil, isLeaseOver }: SeenLease): boolean {
  if (holder === null || leases.isStill(holder, leasedUntil, leaseMs)) return false;
  const place = whereIs(holder);
  return place === 'elsewhere' ? !isLeaseOver : place === 'running';
}

/** Segments that were opened before this moment belong to nobody: no sync that may still write is so old. */
export function oldestLiveSync(states: readonly SourceState[], own: { source: string; startedAt: number }): number {
  const others = states.filter((state) => state.source !== own.source && isHeld(state));
  const starts = others.map((state) => state.startedAt ?? own.startedAt);
  // The clock was set back while another one ran, so times do not tell what is its.
  if (starts.some((start) => start > own.startedAt)) return 0;
  return Math.min(own.startedAt, ...starts);
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

/** A process of this machine has ended when there is none with its number, or when that number is ours now. */
function whereIs(holder: string): 'running' | 'ended' | 'elsewhere' {
  const parts = /^process (\d+) on (.+) \((\d+)\.(\d+)\.\w+\)$/.exec(holder);
  if (!parts) return 'elsewhere';
  const [, pid, host, space, started] = parts;
  if (host !== hostname() || space !== processSpace()) return 'elsewhere';
  const isThere =
    Number(pid) === process.pid ? Number(started) === Math.round(performance.timeOrigin) : isRunning(Number(pid));
  return isThere ? 'running' : 'ended';
}

function isConflict(error: unknown): boolean {
  return error instanceof HubError && error.code === 'CONFLICT';
}
