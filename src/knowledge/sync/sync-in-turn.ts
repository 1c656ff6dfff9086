import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { SourceState, SourceStore, SyncRequest } from '../store/knowledge-store.ts';
import type { SyncReport } from './sync-report.ts';

export interface TurnParts {
  sources: SourceStore;
  clock: Clock;
  /** Throws CONFLICT while another sync of the source runs. */
  sync(): Promise<SyncReport>;
  /** Called when another sync of the source is running, in this or another process. */
  onQueued(): void;
  /** A closing process leaves its requests to others. */
  isClosing(): boolean;
}

/** How often to check whether the other sync is over. */
const checkMs = 250;
/** A waiting process fulfils its own request sooner than this. Afterwards any process may. */
const graceMs = 1_000;

/**
 * Syncs a source now or, if another sync of it is running anywhere, after that one. The request is stored in the database,
 * so that any process can fulfil it even if this one is killed. Throws the signal's reason.
 */
export async function syncInTurn(
  { sources, clock, sync, onQueued, isClosing }: TurnParts,
  source: string,
  {
    signal,
    full,
    allowEmpty,
    isPartial,
  }: SyncRequest & { allowEmpty: boolean; isPartial: boolean; signal: AbortSignal },
): Promise<SyncReport> {
  const first = await unlessTaken(sync);
  if (first) return first;
  const requestedAt = isPartial ? 0 : await sources.request(source, { full });
  onQueued();
  try {
    for (;;) {
      await clock.sleep(checkMs, signal);
      // `allowEmpty` and partial syncs are not stored with the request, so the sync of another process cannot fulfil them.
      const others = allowEmpty || isPartial ? undefined : reportSince(await stateOf(sources, source), requestedAt);
      const report = others ?? (await unlessTaken(sync));
      if (report) return report;
    }
  } finally {
    // Cancelled requests are withdrawn, even if their sync had already begun.
    if (signal.aborted && !isClosing() && !isPartial) await sources.clearRequest(source, requestedAt);
  }
}

/** Resolves to true if a request stays unfulfilled for a while, because its process is gone. */
export async function isLeftBehind(
  { sources, clock }: Pick<TurnParts, 'sources' | 'clock'>,
  source: string,
  signal: AbortSignal,
): Promise<boolean> {
  const before = (await stateOf(sources, source))?.request;
  if (!before) return false;
  await clock.sleep(graceMs, signal);
  return (await stateOf(sources, source))?.request?.at === before.at;
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

async function stateOf(sources: SourceStore, source: string): Promise<SourceState | undefined> {
  return (await sources.states()).find((each) => each.source === source);
}

/** Returns the report of a finished sync that began after the request, whichever process ran it. */
function reportSince(state: SourceState | undefined, requestedAt: number): SyncReport | undefined {
  const { startedAt, finishedAt, report, outcome } = state ?? {};
  // A cancelled sync does not fulfil other requests.
  if (outcome === 'cancelled') return undefined;
  if (startedAt == null || finishedAt == null || startedAt <= requestedAt || finishedAt < startedAt) return undefined;
  // Nor does one that read only a part.
  return report && !('phase' in report) && report.postponed === undefined ? report : undefined;
}
