import { type Clock, toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { type Connector, sourceLabel } from './connector.ts';
import { type SourceType, sourceTypes } from './document.ts';
import type { SourceExplanation, SourceInfo } from './knowledge.ts';
import type { KnowledgeStore, SourceState, StoredSource } from './store/knowledge-store.ts';
import type { SyncProgress, SyncReport } from './sync/sync-report.ts';

export interface SourceListParts {
  store: KnowledgeStore;
  /** The sources from the config file. */
  configured(): Promise<readonly Connector[]>;
  /** Throws INVALID_ARGUMENTS, naming the setting at fault. */
  toConnector(source: Pick<StoredSource, 'type' | 'name' | 'settings'>): Promise<Connector>;
  clock: Clock;
}

export interface KnownSource {
  connector: Connector;
  origin: 'config' | 'store';
}

/** Returns all sources: those from the config file and those added in the web app. The config file wins when both define a label. */
export async function listSources({ store, configured, toConnector }: SourceListParts): Promise<KnownSource[]> {
  const known = new Map<string, KnownSource>();
  for (const connector of await configured()) known.set(sourceLabel(connector), { connector, origin: 'config' });
  for (const stored of await store.sources.list()) {
    if (!known.has(stored.source)) known.set(stored.source, { connector: await toConnector(stored), origin: 'store' });
  }
  return [...known.values()];
}

/** Returns the sources that match `all`, a type, `type:name` or a name. Throws NOT_FOUND, listing the available sources. */
export async function chooseSources(parts: SourceListParts, target: string): Promise<Connector[]> {
  const all = (await listSources(parts)).map(({ connector }) => connector);
  const chosen = all.filter(
    (connector) =>
      target === 'all' || target === connector.type || target === sourceLabel(connector) || target === connector.name,
  );
  if (chosen.length > 0 || (target === 'all' && all.length === 0)) return chosen;
  const labels = all.map(sourceLabel).join(', ');
  throw new HubError(
    'NOT_FOUND',
    `There is no source "${target.slice(0, 80)}". ${labels ? `Available: ${labels}.` : 'No source is configured: add [connectors.filesystem.NAME] with a root to the config, or a folder in the web app.'}`,
  );
}

/** Throws CANCELLED, and cancels its requests, if the source has been removed, perhaps while it waited for the syncs of others. */
export async function checkIsKnown(parts: SourceListParts, source: string): Promise<void> {
  const all = await listSources(parts);
  if (all.some(({ connector }) => sourceLabel(connector) === source)) return;
  // No process would ever fulfil its requests.
  await parts.store.requests.cancel(source);
  throw new HubError('CANCELLED', `The source ${source} was removed before its sync began.`);
}

/** Explains for each folder and repository of a target why a file is indexed or skipped. Throws NOT_FOUND when none contains it. */
export async function explainPath(
  parts: SourceListParts,
  path: string,
  { target = 'all', signal = new AbortController().signal }: { target?: string; signal?: AbortSignal } = {},
): Promise<SourceExplanation[]> {
  const explanations: SourceExplanation[] = [];
  let last: unknown;
  for (const connector of await chooseSources(parts, target)) {
    try {
      const explanation = await connector.explain?.(path, signal);
      if (explanation) explanations.push({ source: sourceLabel(connector), ...explanation });
    } catch (error) {
      signal.throwIfAborted();
      last = error;
    }
  }
  if (explanations.length > 0) return explanations;
  throw (
    last ?? new HubError('NOT_FOUND', `No folder or repository in "${target.slice(0, 80)}" contains the file ${path}.`)
  );
}

/** Describes every source for users, including sources that are no longer configured but still have documents. */
export async function describeSources(
  parts: SourceListParts,
  progress: ReadonlyMap<string, SyncProgress>,
): Promise<SourceInfo[]> {
  const [known, states, stats] = await Promise.all([
    listSources(parts),
    parts.store.sources.states(),
    parts.store.stats(),
  ]);
  const stateOf = new Map(states.map((state) => [state.source, state]));
  const countsOf = new Map(stats.sources.map((each) => [each.source, each]));
  const labels = known.map(({ connector, origin }) => ({
    source: sourceLabel(connector),
    type: connector.type,
    name: connector.name,
    place: connector.location,
    origin,
  }));
  const removed = [...countsOf.keys()].filter((source) => !labels.some((each) => each.source === source)).map(toGone);
  return [...labels, ...removed].map((label) => {
    const counts = countsOf.get(label.source);
    const state = stateOf.get(label.source);
    return {
      ...label,
      documents: counts?.documents ?? 0,
      chunks: counts?.chunks ?? 0,
      state: stateWord(state),
      lastSyncedAt: state?.finishedAt ? toIso(state.finishedAt) : null,
      message: state?.message ?? null,
      lastReport: toReport(state),
      progress: progressOf(progress.get(label.source), state),
      requestedAt: state?.request ? toIso(state.request.at) : null,
    };
  });
}

function toGone(source: string) {
  const [type = '', ...name] = source.split(':');
  return { source, type: asType(type), name: name.join(':'), place: '', origin: 'gone' as const };
}

/** Labels only ever contain these types. */
function asType(type: string): SourceType {
  return sourceTypes.find((each) => each === type) ?? 'script';
}

function stateWord(state: SourceState | undefined): SourceInfo['state'] {
  if (state?.isSyncing) return 'syncing';
  if (!state?.outcome) return 'never';
  return state.outcome === 'failed' ? 'failed' : 'ready';
}

/** What this process does comes first, unless it waits for another one. */
function progressOf(here: SyncProgress | undefined, state: SourceState | undefined): SyncProgress | null {
  return here && here.phase !== 'queued' ? here : (toProgress(state) ?? here ?? null);
}

/** While another process syncs, the state holds its progress instead of a report. */
function toProgress(state: SourceState | undefined): SyncProgress | null {
  if (!state?.isSyncing || !state.report || !('phase' in state.report)) return null;
  return state.report;
}

const noCounts = { fetched: 0, upserted: 0, newestAt: null };

function toReport(state: SourceState | undefined): SyncReport | null {
  if (!state?.report || 'phase' in state.report) return null;
  // Reports saved by an earlier version lack these counts.
  return { ...noCounts, ...state.report };
}
