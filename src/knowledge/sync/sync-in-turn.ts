import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { RequestedSync, SyncRequest, SyncRequestStore } from '../store/sync-requests.ts';
import type { SyncReport } from './sync-report.ts';

export interface TurnParts {
  requests: SyncRequestStore;
  clock: Clock;
  /** Throws CONFLICT while another sync of the source runs. */
  sync(): Promise<SyncReport>;
  /** Called when another sync of the source is running, in this or another process. */
  onQueued(): void;
  /** A closing process leaves its requests to others. */
  isClosing(): boolean;
}

interface TurnOptions extends SyncRequest {
  allowEmpty: boolean;
  isPartial: boolean;
  /** A request that the caller has stored already. */
  requestId?: string | undefined;
  signal: AbortSignal;
}

/** How often to check whether the other sync is over. */
const checkMs = 250;

/**
 * Syncs a source now or, if another sync of it is running anywhere, after that one. The request is stored in the database,
 * so that any process can fulfil it even if this one is killed. Throws the signal's reason, and CANCELLED if the request is cancelled.
 */
export async function syncInTurn(
  { requests, clock, sync, onQueued, isClosing }: TurnParts,
  source: string,
  { signal, full, allowEmpty, isPartial, requestId }: TurnOptions,
): Promise<SyncReport> {
  // A request that has waited for the syncs of other sources may be over.
  const earlier = requestId === undefined ? undefined : endOf(source, await requests.get(requestId));
  if (earlier && !allowEmpty) return earlier;
  const first = await unlessTaken(sync);
  if (first) return first;
  const id = requestId ?? (isPartial ? undefined : await requests.add(source, { full }));
  onQueued();
  try {
    for (;;) {
      await clock.sleep(checkMs, signal);
      const ended = id === undefined ? undefined : endOf(source, await requests.get(id));
      // `allowEmpty` is not stored with the request, so the sync of another process cannot fulfil it.
      if (ended && !allowEmpty) return ended;
      const report = await unlessTaken(sync);
      if (report) return report;
    }
  } finally {
    // A request that is withdrawn leaves those of others, even equal ones.
    if (id !== undefined && signal.aborted) await (isClosing() ? requests.leave(id) : requests.withdraw(id));
  }
}

/** Returns the report of the sync that fulfilled the request, or undefined until then. Throws CANCELLED. */
function endOf(source: string, request: RequestedSync | undefined): SyncReport | undefined {
  if (request && request.outcome !== 'cancelled') return request.report ?? undefined;
  throw new HubError('CANCELLED', `The sync of ${source} was cancelled before it began.`);
}

/** Resolves to undefined while another sync of the source is running. */
export async function unlessTaken(sync: () => Promise<SyncReport>): Promise<SyncReport | undefined> {
  try {
    return await sync();
  } catch (error) {
    if (error instanceof HubError && error.code === 'CONFLICT') return undefined;
    throw error;
  }
}
