import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { HubError, toHubError } from '../../base/hub-error.ts';
import type { Lease } from '../../base/lease.ts';
import type { Logger } from '../../base/logger.ts';
import { type Connector, type ScanContext, type ScannedItem, type SkipReason, sourceLabel } from '../connector.ts';
import type { Indexer, IndexSession } from '../index/indexer.ts';
import type { ChunkLimits } from '../index/indexer-job.ts';
import { mergeSegments } from '../index/merge-segments.ts';
import type { KnowledgeStore, KnownItem, SourceState } from '../store/knowledge-store.ts';
import type { SyncEnd } from '../store/sync-requests.ts';
import { BatchWriter, type PendingItem, readBatches } from './sync-batches.ts';
import type { SyncProgress, SyncReport } from './sync-report.ts';
import { SyncTally } from './sync-tally.ts';

export interface SyncParts {
  store: KnowledgeStore;
  indexer: Indexer;
  clock: Clock;
  logger: Logger;
  chunking: ChunkLimits;
}

export interface SyncSourceOptions {
  /** Reads every item again, even if its version is unchanged. */
  full?: boolean;
  /** Reports what would change, without changing anything. */
  dryRun?: boolean;
  /** Removes all documents when the scan finds nothing. */
  allowEmpty?: boolean;
  /** Reads only items changed at or after this time. Others stay as they are. */
  since?: number;
  /** Reads only items changed at or before this time. */
  until?: number;
  /** Reads at most this many items. */
  limit?: number;
  signal?: AbortSignal;
  onProgress?: (progress: SyncProgress) => void;
}

interface Run {
  parts: SyncParts;
  connector: Connector;
  source: string;
  options: SyncSourceOptions;
  signal: AbortSignal;
  tally: SyncTally;
}

const removeAtOnce = 50;
/** Batches between two merges. Keeps searches fast during a long sync, because each batch adds a segment. */
const mergeAfter = 64;
const maxNameLength = 2_000;
/** How often a running sync looks whether another process has cancelled it. */
const checkCancelMs = 250;

/**
 * Brings the documents of one source up to date. If the sync ends early, the report has an `error`, and everything
 * published until then stays. Throws CONFLICT, naming the process, when the source is already being synced.
 */
export async function syncSource(
  parts: SyncParts,
  connector: Connector,
  options: SyncSourceOptions = {},
): Promise<SyncReport> {
  const { store } = parts;
  const source = sourceLabel(connector);
  if (options.dryRun) return syncOnce(parts, connector, options);
  const lease = await store.sources.take(source);
  try {
    // Fulfils the requests made before it begins, even if it fails, but not if it is stopped or reads only a part.
    const { id, full } = await store.requests.begin(source, { isPartial: isPartial(options) });
    const cancel = watchCancel(parts, source, id);
    const signal = anySignal(options.signal, cancel.signal);
    let end: SyncEnd = { outcome: 'failed', report: null };
    try {
      const report = await syncOnce(parts, connector, { ...options, full: options.full || full, signal }, lease);
      end = { outcome: report.error === undefined ? 'complete' : 'failed', report };
      return report;
    } finally {
      cancel.close();
      if (signal.aborted || lease.lost.aborted) end = { ...end, outcome: 'again' };
      await store.requests.end(source, id, end);
    }
  } finally {
    await lease.release();
  }
}

/** Aborts its signal when any process cancels the sync. */
function watchCancel({ store, logger }: SyncParts, source: string, id: string): { signal: AbortSignal; close(): void } {
  const cancelled = new AbortController();
  const check = async () => {
    if (!(await store.requests.isCancelled(source, id))) return;
    clearInterval(timer);
    cancelled.abort(new HubError('CANCELLED', `The sync of ${source} was cancelled.`));
  };
  const timer = setInterval(() => {
    check().catch((error: unknown) =>
      logger.debug({ err: error, source }, 'could not see whether a sync was cancelled'),
    );
  }, checkCancelMs).unref();
  return { signal: cancelled.signal, close: () => clearInterval(timer) };
}

async function syncOnce(
  parts: SyncParts,
  connector: Connector,
  options: SyncSourceOptions,
  lease?: Lease,
): Promise<SyncReport> {
  const { clock, logger, store } = parts;
  const source = sourceLabel(connector);
  const startedAt = clock.now();
  const states = await store.sources.states();
  const before = states.find((state) => state.source === source);
  const tally = new SyncTally(
    { sources: lease && store.sources, clock, logger },
    { source, startedAt, before, onProgress: options.onProgress },
  );
  if (isPartial(options)) tally.report.postponed = 0;
  const discard = () => store.discardOpenSegments(oldestLiveSync(states, { source, startedAt }));
  const run = { parts, connector, source, options, tally, signal: anySignal(options.signal, lease?.lost) };
  return runSync(run, discard, lease);
}

/** Tells whether a sync considers only some documents, so that it cannot fulfil a request for all of them. */
export function isPartial({ since, until, limit }: Pick<SyncSourceOptions, 'since' | 'until' | 'limit'>): boolean {
  return since !== undefined || until !== undefined || limit !== undefined;
}

async function runSync(run: Run, discard: () => Promise<number>, lease: Lease | undefined): Promise<SyncReport> {
  const { tally, signal, source, options } = run;
  try {
    tally.enter('scanning');
    // Other processes need this state to tell which open segments are ours.
    await tally.saved();
    if (lease) await discard();
    await bringUpToDate(run);
    await tally.finish('complete', null);
  } catch (error) {
    if (lease?.lost.aborted) {
      await tally.silence();
      throw new HubError('CONFLICT', `Another process has taken over the sync of ${source}.`);
    }
    const isCancelled = options.signal?.aborted ?? false;
    const why = isCancelled ? cancelled(signal, source) : toHubError(error);
    await tally.finish(isCancelled ? 'cancelled' : 'failed', why.message);
    if (why.code === 'INTERNAL_ERROR') throw error;
  }
  return tally.report;
}

async function bringUpToDate(run: Run): Promise<void> {
  const { parts, source, signal, tally, options } = run;
  const { store } = parts;
  const known = await store.items(source);
  const session = await parts.indexer.open(signal);
  try {
    const scan = await scanAll(run, known, versionMaker(session.pipeline, parts.chunking));
    tally.enter('indexing');
    await indexAll(run, session, scan.pending);
    // An incomplete scan removes nothing, because unseen items may still exist.
    if (scan.error !== undefined) throw scan.error;
    tally.enter('removing');
    await removeGone(run, known, scan);
  } finally {
    await session.close();
  }
  if (options.dryRun) return;
  tally.enter('merging');
  await merge(run);
}

async function merge(run: Run): Promise<void> {
  const { parts, signal, source } = run;
  await mergeSegments(parts.store, { signal }).catch(async (error: unknown) => {
    await discardLeftOpen(run);
    signal.throwIfAborted();
    // The documents are searchable without the merge, and the next sync tries again.
    parts.logger.warn({ err: error, source }, 'the index could not be merged');
  });
}

interface Scan {
  /** The ids of all items, including those that cannot be read. */
  named: Set<string>;
  pending: PendingItem[];
  /** Unreadable folders, with a trailing slash. Their contents are unknown. */
  unread: string[];
  /** Known items that are now skipped, and skipped folders with a trailing slash. */
  leftOut: Map<string, SkipReason>;
  /** Why the scan is incomplete. */
  error?: unknown;
}

async function scanAll(
  { connector, options, signal, tally }: Run,
  known: ReadonlyMap<string, KnownItem>,
  toVersion: (item: ScannedItem) => { prefix: string; version: string },
): Promise<Scan> {
  const named = new Set<string>();
  const pending: PendingItem[] = [];
  const unread: string[] = [];
  const leftOut = new Map<string, SkipReason>();
  const context: ScanContext = {
    signal,
    fail,
    failFolder(path, message) {
      unread.push(`${path}/`);
      tally.fail(path, message);
    },
    skip(path, reason, { isFolder } = { isFolder: false }) {
      tally.skip(reason, isFolder);
      if (isFolder) leftOut.set(`${path}/`, reason);
      else if (known.has(path)) leftOut.set(path, reason);
    },
  };
  const {
    since = Number.NEGATIVE_INFINITY,
    until = Number.POSITIVE_INFINITY,
    limit = Number.POSITIVE_INFINITY,
  } = options;
  const isChosen = ({ updatedAt }: ScannedItem, chosen: number) =>
    updatedAt >= since && updatedAt <= until && chosen < limit;
  function fail(sourceId: string, message: string): void {
    named.add(sourceId);
    tally.fail(sourceId, message);
  }
  try {
    for await (const item of connector.scan(context)) {
      signal.throwIfAborted();
      const problem = named.has(item.sourceId)
        ? 'Another item has the same id. Only the first one is indexed.'
        : nameProblem(item.sourceId);
      if (problem !== undefined) {
        fail(item.sourceId, problem);
        continue;
      }
      named.add(item.sourceId);
      const before = known.get(item.sourceId);
      const { prefix, version } = toVersion(item);
      const isNew = options.full === true || before?.version !== version;
      const mustRead = isNew && isChosen(item, pending.length);
      if (mustRead) pending.push({ item, version, before, isComparable: before?.version.startsWith(prefix) ?? false });
      else if (isNew) tally.report.postponed = (tally.report.postponed ?? 0) + 1;
      else tally.report.unchanged += 1;
      tally.saw(item, { mustRead });
      if (named.size % 200 === 0) await nextTurn();
    }
    signal.throwIfAborted();
    return { named, pending, unread, leftOut };
  } catch (error) {
    signal.throwIfAborted();
    return { named, pending, unread, leftOut, error };
  }
}

async function indexAll(run: Run, session: IndexSession, pending: readonly PendingItem[]): Promise<void> {
  const { parts, source, signal, tally, options } = run;
  const { store, logger, chunking } = parts;
  const dryRun = options.dryRun ?? false;
  const writer = new BatchWriter({ store, session, tally, logger, chunking, source, dryRun, signal });
  const batches = readBatches(pending, {
    signal,
    logger,
    fail: (sourceId, message) => tally.failToRead(sourceId, message),
  });
  try {
    // Reads the next contents while these are indexed.
    let upcoming = batches.next();
    let added = 0;
    for (let batch = await upcoming; !batch.done; batch = await upcoming) {
      upcoming = batches.next();
      upcoming.catch(() => {});
      signal.throwIfAborted();
      await writer.add(batch.value);
      added += 1;
      if (added % mergeAfter === 0 && !dryRun) {
        await writer.settle();
        await merge(run);
      }
    }
    await writer.settle();
  } finally {
    await writer.settle().catch(() => {});
    if (writer.hasLeftOpen) await discardLeftOpen(run);
  }
}

/** Tries to discard our open segments now. Otherwise the next sync does. */
async function discardLeftOpen({ parts, source }: Run): Promise<void> {
  const { store, clock, logger } = parts;
  const now = clock.now();
  try {
    await store.discardOpenSegments(oldestLiveSync(await store.sources.states(), { source, startedAt: now }));
  } catch (error) {
    logger.warn({ err: error, source }, 'open segments could not be discarded; the next sync does it');
  }
}

async function removeGone(run: Run, known: ReadonlyMap<string, KnownItem>, scan: Scan): Promise<void> {
  const missing: { id: string; reason: SkipReason | undefined }[] = [];
  for (const [sourceId, { id }] of known) {
    if (scan.named.has(sourceId)) continue;
    const reason = skipReasonOf(sourceId, scan.leftOut);
    if (reason === undefined && scan.unread.some((folder) => `${sourceId}/`.startsWith(folder))) continue;
    missing.push({ id, reason });
  }
  const isEmpty = scan.named.size === 0;
  const unexplained = missing.filter((each) => each.reason === undefined);
  if (!isEmpty || unexplained.length === 0 || run.options.allowEmpty) return remove(run, missing);
  await remove(
    run,
    missing.filter((each) => each.reason !== undefined),
  );
  throw foundNothing(run.source, unexplained.length);
}

async function remove(
  { parts, options, signal, tally }: Run,
  missing: readonly { id: string; reason: SkipReason | undefined }[],
): Promise<void> {
  for (let start = 0; start < missing.length; start += removeAtOnce) {
    signal.throwIfAborted();
    const some = missing.slice(start, start + removeAtOnce);
    if (!options.dryRun) await parts.store.removeDocuments(some.map(({ id }) => id));
    for (const { reason } of some) tally.removed(reason);
    await nextTurn();
  }
}

/** Returns why the item, or a folder above it, is skipped. */
function skipReasonOf(sourceId: string, leftOut: ReadonlyMap<string, SkipReason>): SkipReason | undefined {
  if (leftOut.size === 0) return undefined;
  const reasonOfItem = leftOut.get(sourceId);
  if (reasonOfItem) return reasonOfItem;
  for (let end = sourceId.indexOf('/'); end >= 0; end = sourceId.indexOf('/', end + 1)) {
    const reason = leftOut.get(sourceId.slice(0, end + 1));
    if (reason) return reason;
  }
  return undefined;
}

/** An unmounted disk or an expired token is far more likely than a source that was emptied on purpose. */
function foundNothing(source: string, documents: number): HubError {
  const note =
    documents === 1
      ? 'The document from the last sync was kept'
      : `The ${documents} documents from the last sync were kept`;
  return new HubError(
    'UNAVAILABLE',
    `The scan found nothing. ${note}. If the source is meant to be empty, run "zoo sync ${source} --allow-empty".`,
    { details: { retryable: false } },
  );
}

/**
 * Returns a function that builds the stored version of an item from three parts: the pipeline, the facts from the source,
 * and the item's own version. If the first two differ, equal content may still give another document.
 */
function versionMaker(pipeline: string, chunking: ChunkLimits) {
  const pipelineHash = shortHash([pipeline, chunking.maxTokens, chunking.overlapTokens]);
  return ({ title, tags, metadata, contentType, url, version }: ScannedItem) => {
    const prefix = `${pipelineHash}.${shortHash([title, tags, metadata, contentType, url])}.`;
    return { prefix, version: prefix + (version.length > 200 ? shortHash([version]) : version) };
  };
}

function shortHash(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16);
}

function nameProblem(sourceId: string): string | undefined {
  if (sourceId === '') return 'The item has no id.';
  if (sourceId.length > maxNameLength) return `Its id is longer than ${maxNameLength} characters.`;
  return sourceId.includes('\0') ? 'Its id contains a NUL character.' : undefined;
}

function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

function cancelled(signal: AbortSignal, source: string): HubError {
  const { reason } = signal;
  return reason instanceof HubError ? reason : new HubError('CANCELLED', `The sync of ${source} was cancelled.`);
}

/** Returns the start of the oldest running sync. Segments opened before belong to no running sync. */
function oldestLiveSync(states: readonly SourceState[], current: { source: string; startedAt: number }): number {
  const others = states.filter((state) => state.source !== current.source && state.isSyncing);
  const starts = others.map((state) => state.startedAt ?? current.startedAt);
  // The clock was set back during another sync, so times cannot tell whose segments these are.
  if (starts.some((start) => start > current.startedAt)) return 0;
  return Math.min(current.startedAt, ...starts);
}
