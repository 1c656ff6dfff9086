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
  /** Read every item again, whatever its version says. */
  full?: boolean;
  /** Say what would happen and change nothing. */
  dryRun?: boolean;
  /** Believe a scan that finds nothing where there was something. */
  allowEmpty?: boolean;
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
/** Batches between two merges: a search must not walk through hundreds of segments while a long sync runs. */
const mergeAfter = 64;
const longestName = 2_000;

/**
 * Brings the documents of one source up to date. What is published stays, whenever it ends; a report with an `error`
 * tells why it ended early. Throws CONFLICT, with who has it, when the source is being synced.
 */
export async function syncSource(
  parts: SyncParts,
  connector: Connector,
  options: SyncSourceOptions = {},
): Promise<SyncReport> {
  const { clock, logger, store } = parts;
  const source = sourceLabel(connector);
  const startedAt = clock.now();
  const dryRun = options.dryRun ?? false;
  const lease = dryRun ? undefined : await store.sources.take(source);
  try {
    const states = await store.sources.states();
    const before = states.find((state) => state.source === source);
    const request = dryRun ? null : (before?.request ?? null);
    const tally = new SyncTally(
      { sources: dryRun ? undefined : store.sources, clock, logger },
      { source, startedAt, before, onProgress: options.onProgress },
    );
    const discard = () => store.discardOpenSegments(oldestLiveSync(states, { source, startedAt }));
    const asked = { ...options, full: (options.full ?? false) || (request?.full ?? false) };
    const run = { parts, connector, source, options: asked, tally, signal: anySignal(options, lease) };
    try {
      return await runSync(run, discard, lease);
    } finally {
      // What was asked for before this sync began is done, well or not; one that was cancelled answers nothing.
      if (request && !run.signal.aborted) await store.sources.clearRequest(source, request.at);
    }
  } finally {
    await lease?.release();
  }
}

async function runSync(run: Run, discard: () => Promise<number>, lease: Lease | undefined): Promise<SyncReport> {
  const { tally, signal, source, options } = run;
  try {
    tally.enter('scanning');
    // Others tell by this state which segments are ours.
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
    // What was seen is up to date now; what was not seen is unknown.
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
    // The next sync tries it again; what was indexed can be found as it is.
    parts.logger.warn({ err: error, source }, 'the index was not merged');
  });
}

interface Scan {
  /** Every item that is there, those included that cannot be had. */
  named: Set<string>;
  pending: PendingItem[];
  /** Folders that could not be read, with a slash at their end: what lies in them is unknown. */
  unread: string[];
  /** Known items that are left out now, and folders, with a slash at their end. */
  leftOut: Map<string, SkipReason>;
  /** Why it did not see everything. */
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
  function fail(sourceId: string, message: string): void {
    named.add(sourceId);
    tally.fail(sourceId, message);
  }
  try {
    for await (const item of connector.scan(context)) {
      signal.throwIfAborted();
      const problem = named.has(item.sourceId)
        ? 'It is there twice; the first one counts.'
        : nameProblem(item.sourceId);
      if (problem !== undefined) {
        fail(item.sourceId, problem);
        continue;
      }
      named.add(item.sourceId);
      const before = known.get(item.sourceId);
      const { prefix, version } = toVersion(item);
      const mustRead = options.full === true || before?.version !== version;
      if (mustRead) pending.push({ item, version, before, isComparable: before?.version.startsWith(prefix) ?? false });
      else tally.report.unchanged += 1;
      tally.saw({ mustRead });
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
    // The next contents are read while these are indexed.
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

/** Best now, at the latest by the next sync. */
async function discardLeftOpen({ parts, source }: Run): Promise<void> {
  const { store, clock, logger } = parts;
  const now = clock.now();
  try {
    await store.discardOpenSegments(oldestLiveSync(await store.sources.states(), { source, startedAt: now }));
  } catch (error) {
    logger.warn({ err: error, source }, 'what a sync left open is removed by the next one');
  }
}

async function removeGone(run: Run, known: ReadonlyMap<string, KnownItem>, scan: Scan): Promise<void> {
  const gone: { id: string; reason: SkipReason | undefined }[] = [];
  for (const [sourceId, { id }] of known) {
    if (scan.named.has(sourceId)) continue;
    const reason = whyLeftOut(sourceId, scan.leftOut);
    if (reason === undefined && scan.unread.some((folder) => `${sourceId}/`.startsWith(folder))) continue;
    gone.push({ id, reason });
  }
  const isEmpty = scan.named.size === 0;
  const unexplained = gone.filter((each) => each.reason === undefined);
  if (!isEmpty || unexplained.length === 0 || run.options.allowEmpty) return remove(run, gone);
  await remove(
    run,
    gone.filter((each) => each.reason !== undefined),
  );
  throw foundNothing(run.source, unexplained.length);
}

async function remove(
  { parts, options, signal, tally }: Run,
  gone: readonly { id: string; reason: SkipReason | undefined }[],
): Promise<void> {
  for (let start = 0; start < gone.length; start += removeAtOnce) {
    signal.throwIfAborted();
    const some = gone.slice(start, start + removeAtOnce);
    if (!options.dryRun) await parts.store.removeDocuments(some.map(({ id }) => id));
    for (const { reason } of some) tally.removed(reason);
    await nextTurn();
  }
}

/** By itself, or by a folder above it. */
function whyLeftOut(sourceId: string, leftOut: ReadonlyMap<string, SkipReason>): SkipReason | undefined {
  if (leftOut.size === 0) return undefined;
  const own = leftOut.get(sourceId);
  if (own) return own;
  for (let end = sourceId.indexOf('/'); end >= 0; end = sourceId.indexOf('/', end + 1)) {
    const reason = leftOut.get(sourceId.slice(0, end + 1));
    if (reason) return reason;
  }
  return undefined;
}

/** A disk that is not mounted, a token that ran out: far more often than a source that was emptied on purpose. */
function foundNothing(source: string, documents: number): HubError {
  const kept =
    documents === 1
      ? 'The document of the last sync was kept'
      : `The ${documents} documents of the last sync were kept`;
  return new HubError(
    'UNAVAILABLE',
    `The scan found nothing. ${kept}. If the source is meant to be empty, run "zoo sync ${source} --allow-empty".`,
    { details: { retryable: false } },
  );
}

/**
 * The version that is stored says how the document was made, then what the source said of it, then which one it was:
 * with another beginning the same content gives another document.
 */
function versionMaker(pipeline: string, chunking: ChunkLimits) {
  const made = shortHash([pipeline, chunking.maxTokens, chunking.overlapTokens]);
  return ({ title, tags, metadata, contentType, url, version }: ScannedItem) => {
    const prefix = `${made}.${shortHash([title, tags, metadata, contentType, url])}.`;
    return { prefix, version: prefix + (version.length > 200 ? shortHash([version]) : version) };
  };
}

function shortHash(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16);
}

function nameProblem(sourceId: string): string | undefined {
  if (sourceId === '') return 'An item has no name.';
  if (sourceId.length > longestName) return `Its name is longer than ${longestName} characters.`;
  return sourceId.includes('\0') ? 'Its name holds a NUL.' : undefined;
}

function anySignal(options: SyncSourceOptions, lease: Lease | undefined): AbortSignal {
  return AbortSignal.any([options.signal, lease?.lost].filter((signal) => signal !== undefined));
}

function cancelled(signal: AbortSignal, source: string): HubError {
  const { reason } = signal;
  return reason instanceof HubError ? reason : new HubError('CANCELLED', `The sync of ${source} was cancelled.`);
}

/** Segments that were opened before this moment belong to nobody: no sync that may still write is so old. */
function oldestLiveSync(states: readonly SourceState[], own: { source: string; startedAt: number }): number {
  const others = states.filter((state) => state.source !== own.source && state.isSyncing);
  const starts = others.map((state) => state.startedAt ?? own.startedAt);
  // The clock was set back while another one ran, so times do not tell what is its.
  if (starts.some((start) => start > own.startedAt)) return 0;
  return Math.min(own.startedAt, ...starts);
}
