import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { SourceState, SourceStore, SyncRequest } from '../store/knowledge-store.ts';
import type { SyncReport } from './sync-report.ts';

export interface TurnParts {
  sources: SourceStore;
  clock: Clock;
  /** Throws CONFLICT while another sync of the source runs. */
  sync(): Promise<SyncReport>;
  /** Another sync of the source runs, here or in another process. */
  onQueued(): void;
  /** A process that ends leaves its requests to the others. */
  isClosing(): boolean;
}

/** Between two looks whether the other sync is over. */
const lookMs = 250;
/** Whoever waits for a request answers it sooner; after this, anybody does. */
const graceMs = 1_000;

/**
 * Syncs a source now or, while another sync of it runs anywhere, after that one. The request is in the database, so
 * whichever process comes first answers it, also when this one or the other one is killed. Throws the signal's reason.
 */
export async function syncInTurn(
  { sources, clock, sync, onQueued, isClosing }: TurnParts,
  source: string,
  { signal, full, allowEmpty }: SyncRequest & { allowEmpty: boolean; signal: AbortSignal },
): Promise<SyncReport> {
  const first = await unlessTaken(sync);
  if (first) return first;
  const requestedAt = await sources.request(source, { full });
  onQueued();
  try {
    for (;;) {
      await clock.sleep(lookMs, signal);
      // Nobody else empties a source on somebody's word, so that another's sync does not answer this.
      const others = allowEmpty ? undefined : reportSince(await stateOf(sources, source), requestedAt);
      const report = others ?? (await unlessTaken(sync));
      if (report) return report;
    }
  } finally {
    // Also when its turn had come.
    if (signal.aborted && !isClosing()) await sources.clearRequest(source, requestedAt);
  }
}

/** Whether a request was left behind by a process that is gone: for some time nobody has answered it. */
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

/** Undefined while another sync of the source runs. */
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

/** Of a whole sync that began after the request, whoever ran it. */
function reportSince(state: SourceState | undefined, requestedAt: number): SyncReport | undefined {
  const { startedAt, finishedAt, report, outcome } = state ?? {};
  // Whoever cancelled it did so for that sync alone.
  if (outcome === 'cancelled') return undefined;
  if (startedAt == null || finishedAt == null || startedAt <= requestedAt || finishedAt < startedAt) return undefined;
  return report && !('phase' in report) ? report : undefined;
}
