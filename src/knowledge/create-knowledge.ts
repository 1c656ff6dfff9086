import { EventChannel } from '../base/events.ts';
import { HubError, toHubError } from '../base/hub-error.ts';
import { once } from '../base/lazy.ts';
import type { Lease } from '../base/lease.ts';
import type { Logger } from '../base/logger.ts';
import { parseWith } from '../base/validate.ts';
import { type Connector, sourceLabel } from './connector.ts';
import { type Embedder, embeddingsDisabled } from './embedder.ts';
import type { EmbeddingState, EmbedProgress, Knowledge, KnowledgeEvent, SyncOptions } from './knowledge.ts';
import type { Search } from './search/search-knowledge.ts';
import { SearchRequest } from './search/search-request.ts';
import {
  checkIsKnown,
  chooseSources,
  describeSources,
  explainPath,
  listSources,
  type SourceListParts,
} from './source-list.ts';
import type { StoredSource } from './store/knowledge-store.ts';
import type { SyncProgress, SyncReport } from './sync/sync-report.ts';

export interface KnowledgeParts extends SourceListParts {
  chunking: { maxTokens: number; overlapTokens: number };
  retrieval: { hybridAlpha: number; candidateKKeyword: number; candidateKVector: number; finalLimit: number };
  /** Undefined while embeddings are disabled. Read for each use, because the user can choose others. */
  readonly embedding: { embedder: Embedder; provider: string; model: string; index: 'memory' | 'pgvector' } | undefined;
  logger: Logger;
  /** Throws INVALID_ARGUMENTS for a missing folder, a URL that git cannot clone, or a wrong setting. */
  checkSource(source: Pick<StoredSource, 'type' | 'name' | 'settings'>): Promise<void>;
}

const removeAtOnce = 500;
const progressEveryMs = 100;
const checkRequestsEveryMs = 15_000;

/** Creates the knowledge base of a hub. Code for searches and syncs is loaded on first use. */
export function createKnowledge(parts: KnowledgeParts): Knowledge {
  const { store, clock, logger } = parts;
  const events = new EventChannel<KnowledgeEvent>((error) => logger.error({ err: error }, 'a listener failed'));
  /** Per source: the sync that this process runs, and those that wait for their turn. */
  const running = new Map<string, Set<AbortController>>();
  const progress = new Map<string, SyncProgress>();
  const background = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const search = once(() => openSearch(parts));
  const indexer = once(async () => (await import('./index/indexer.ts')).createIndexer({ logger }));
  const stopWatching = store.watch(() => events.emit({ type: 'changed' }));

  const knowledge: Knowledge = {
    events,
    find: async (request, options) => (await search())(request, options),
    async search(request, { signal } = {}) {
      const checked = parseWith(SearchRequest, request);
      return (await knowledge.find(checked, signal ? { signal } : {})).results;
    },
    async get(id) {
      const [document, body] = isId(id) ? await Promise.all([store.document(id), store.body(id)]) : [];
      if (!document || body === undefined) throw noDocument(id);
      return { ...document, body };
    },
    documents: (query) => store.documents(query),
    async chunks(id) {
      if (!isId(id) || !(await store.document(id))) throw noDocument(id);
      return store.chunks(id);
    },
    sources: () => describeSources(parts, progress),
    async stats() {
      const [stats, embeddings] = await Promise.all([store.stats(), embeddingState()]);
      return { ...stats, embeddings };
    },
    sync: async (options) => syncAll(await chooseSources(parts, options.target), options),
    async startSync(options) {
      const connectors = await chooseSources(parts, options.target);
      const sources = connectors.map(sourceLabel);
      const requests = new Map<string, string>();
      for (const source of sources)
        requests.set(source, await store.requests.add(source, { full: options.full ?? false }));
      const states = await store.sources.states();
      runInBackground(syncAll(connectors, { ...options, signal: closing.signal }, requests));
      const taken = states.filter(({ isSyncing }) => isSyncing).map((state) => state.source);
      const queued = sources.filter((source) => taken.includes(source));
      return { sources, queued, requests: [...requests].map(([source, id]) => ({ source, id })) };
    },
    answerRequests: () => runRequestedSyncs(),
    explain: (path, options) => explainPath(parts, path, options),
    async request(id) {
      const found = isId(id) ? await store.requests.get(id) : undefined;
      if (found) return found;
      const message = `There is no requested sync "${id.slice(0, 80)}". Requests are kept for an hour after they are done.`;
      throw new HubError('NOT_FOUND', message);
    },
    async cancelSync(source) {
      const isFound = await store.requests.cancel(source);
      // Those here end at once, and so do those that are not stored.
      const here = running.get(source);
      const reason = new HubError('CANCELLED', `The sync of ${source} was cancelled.`);
      for (const controller of here ?? []) controller.abort(reason);
      return isFound || here !== undefined;
    },
    watch: () => watchFolders(),
    async addSource(source) {
      const label = sourceLabel(source);
      await parts.checkSource(source);
      if ((await listSources(parts)).some((each) => sourceLabel(each.connector) === label)) {
        throw new HubError('CONFLICT', `A source "${label}" already exists. Choose another name.`);
      }
      await store.sources.add({ ...source, source: label, createdAt: clock.now() });
      events.emit({ type: 'sources' });
      const info = (await describeSources(parts, progress)).find((each) => each.source === label);
      if (!info)
        throw new HubError(
          'CONFLICT',
          `The source "${label}" was removed by somebody else in the meantime. Add it again.`,
        );
      return info;
    },
    async removeSource(source) {
      const info = (await describeSources(parts, progress)).find((each) => each.source === source);
      if (!info)
        throw new HubError('NOT_FOUND', `There is no source "${source.slice(0, 80)}". List them with "zoo sources".`);
      if (info.origin === 'config') {
        throw new HubError(
          'PERMISSION_DENIED',
          `The source "${source}" is defined in ${info.type === 'custom' ? 'code' : 'the config file'}. Remove it there.`,
        );
      }
      await knowledge.cancelSync(source);
      // Otherwise a sync that is still stopping, perhaps in another process, would add documents again.
      const lease = await takeSoon(source);
      try {
        if (info.origin === 'store') await store.sources.remove(source);
        await removeDocuments(source);
        await store.sources.forget(source);
      } finally {
        await lease.release();
      }
      events.emit({ type: 'sources' });
    },
    async embed(options) {
      const { embedding } = parts;
      if (!embedding) throw embeddingsDisabled();
      const { embedPending } = await import('./sync/embed-pending.ts');
      return embedPending({ store, embedder: embedding.embedder, clock, logger }, options);
    },
    startEmbedding({ rebuild = false }) {
      if (!parts.embedding) throw embeddingsDisabled();
      runInBackground(embedPendingPassages({ rebuild, signal: closing.signal }));
    },
    async close() {
      stopWatching();
      closing.abort(new HubError('CANCELLED', 'The hub is closing.'));
      await Promise.allSettled(background);
      await (await indexer.promise?.catch(() => undefined))?.close();
      await parts.embedding?.embedder.close?.();
    },
  };
  return knowledge;

  /** `requests` are the ids of requests that are stored already, by source. */
  async function syncAll(
    connectors: readonly Connector[],
    options: SyncOptions,
    requests: ReadonlyMap<string, string> = new Map(),
  ): Promise<SyncReport[]> {
    const reports: SyncReport[] = [];
    for (const connector of connectors) {
      const requestId = requests.get(sourceLabel(connector));
      if (!options.signal?.aborted) reports.push(await syncOne(connector, options, requestId));
      else if (requestId !== undefined) await store.requests.leave(requestId);
    }
    if (!options.dryRun && parts.embedding && !options.signal?.aborted) {
      await embedPendingPassages({ rebuild: false, ...(options.signal && { signal: options.signal }) });
    }
    return reports;
  }

  /** Never throws: a source that cannot be read must not keep the others from being synced. */
  async function syncOne(connector: Connector, options: SyncOptions, requestId?: string): Promise<SyncReport> {
    const source = sourceLabel(connector);
    const controller = new AbortController();
    const signals = [controller.signal, closing.signal, ...(options.signal ? [options.signal] : [])];
    const startedAt = clock.now();
    let emittedAt = 0;
    const together = running.get(source) ?? new Set();
    running.set(source, together.add(controller));
    try {
      await checkIsKnown(parts, source);
      const [{ syncSource, isPartial }, { syncInTurn, unlessTaken }] = await Promise.all([
        import('./sync/sync-source.ts'),
        import('./sync/sync-in-turn.ts'),
      ]);
      const openIndexer = await indexer();
      const signal = AbortSignal.any(signals);
      const requested = { full: options.full ?? false, allowEmpty: options.allowEmpty ?? false };
      const { since, until, limit } = options;
      const chosen = {
        ...requested,
        ...(since !== undefined && { since }),
        ...(until !== undefined && { until }),
        ...(limit !== undefined && { limit }),
      };
      const sync = (how: Partial<typeof chosen>) =>
        syncSource({ store, indexer: openIndexer, clock, logger, chunking: parts.chunking }, connector, {
          ...how,
          dryRun: options.dryRun ?? false,
          signal,
          onProgress: reportProgress,
        });
      const turn = {
        requests: store.requests,
        clock,
        sync: () => sync(chosen),
        onQueued: () => reportProgress({ source, phase: 'queued', seen: 0, toRead: 0, read: 0 }),
        isClosing: () => closing.signal.aborted,
      };
      let report = await syncInTurn(turn, source, { ...requested, isPartial: isPartial(options), requestId, signal });
      // Requests that came meanwhile, and whose process is gone.
      while (!options.dryRun && !signal.aborted && (await store.requests.abandoned()).includes(source)) {
        const another = await unlessTaken(() => sync({}));
        if (!another) break;
        report = another;
      }
      return finish(report);
    } catch (error) {
      const known = toHubError(error);
      if (known.code === 'INTERNAL_ERROR') logger.error({ err: error, source }, 'a sync failed unexpectedly');
      return finish(failedReport(source, options.dryRun ?? false, clock.now() - startedAt, known.message));
    }

    function reportProgress(now: SyncProgress): void {
      const last = progress.get(source);
      progress.set(source, now);
      options.onProgress?.(now);
      // A page shows ten updates a second, not thousands.
      if (last?.phase === now.phase && clock.now() - emittedAt < progressEveryMs) return;
      emittedAt = clock.now();
      events.emit({ type: 'progress', progress: now });
    }

    function finish(report: SyncReport): SyncReport {
      together.delete(controller);
      if (together.size === 0) running.delete(source);
      progress.delete(source);
      events.emit({ type: 'synced', report });
      return report;
    }
  }

  /** Never throws: a sync succeeds even if its passages cannot be embedded now (no network, no key). */
  async function embedPendingPassages(options: { rebuild: boolean; signal?: AbortSignal }): Promise<void> {
    const emit = (now: EmbedProgress, rest: { done: boolean; message?: string }) =>
      events.emit({ type: 'embedding', progress: now, ...rest });
    let last: EmbedProgress = { embedded: 0, pending: 0 };
    try {
      const onProgress = (now: EmbedProgress) => {
        last = now;
        emit(now, { done: false });
      };
      emit(await knowledge.embed({ ...options, onProgress }), { done: true });
    } catch (error) {
      const known = toHubError(error);
      logger.warn({ err: error }, 'passages could not be embedded');
      emit(last, { done: true, message: known.message });
    }
  }

  /** Takes the lease of a source whose sync was cancelled. Throws CONFLICT if the sync does not stop within ten seconds. */
  async function takeSoon(source: string): Promise<Lease> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await store.sources.take(source);
      } catch (error) {
        if (!(error instanceof HubError) || error.code !== 'CONFLICT' || attempts >= 100) throw error;
        await clock.sleep(100, closing.signal);
      }
    }
  }

  async function removeDocuments(source: string): Promise<void> {
    const ids = [...(await store.items(source)).values()].map((item) => item.id);
    for (let start = 0; start < ids.length; start += removeAtOnce) {
      await store.removeDocuments(ids.slice(start, start + removeAtOnce));
    }
  }

  async function embeddingState(): Promise<EmbeddingState> {
    const { embedding } = parts;
    if (!embedding) return { provider: 'disabled' };
    const { embedder, provider, model } = embedding;
    const [embedded, pending] = await Promise.all([
      store.vectors.count(embedder.key),
      store.vectors.countPending(embedder.key),
    ]);
    return { provider, model, dims: embedder.dims, embedded, pending };
  }

  function watchFolders(): { close(): Promise<void> } {
    const starting = (async () => {
      const [{ watchSources }, known] = await Promise.all([import('./sync/watch-sources.ts'), listSources(parts)]);
      const connectors = known.map((each) => each.connector);
      return watchSources({ connectors, sync: (connector) => syncAll([connector], { target: '' }), logger, clock });
    })();
    return { close: async () => (await starting).close() };
  }

  /** Runs requested syncs whose process is gone. A living process runs its own. */
  function runRequestedSyncs(): { close(): Promise<void> } {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, closing.signal]);
    /** Counts changes of the knowledge base, requests among them. */
    let changes = 0;
    /** The count when a look found no requests: until it grows, there is nothing to look for. */
    let noneAt: number | undefined;
    const stopWatching = store.watch(() => {
      changes += 1;
    });
    const loop = (async () => {
      for (;;) {
        const seen = changes;
        if (noneAt !== seen) {
          await runRequestedOnce(signal).then(
            (hadRequests) => {
              noneAt = hadRequests ? undefined : seen;
            },
            (error: unknown) => {
              if (!signal.aborted) logger.error({ err: error }, 'requested syncs could not be checked');
            },
          );
        }
        await clock.sleep(checkRequestsEveryMs, signal);
      }
    })();
    // The loop ends only when it is aborted.
    loop.catch(() => {});
    return {
      async close() {
        stopWatching();
        ending.abort(new HubError('CANCELLED', 'This process no longer runs requested syncs.'));
        await loop.catch(() => {});
      },
    };
  }

  /** Returns whether there were requests, also those that others may still run. */
  async function runRequestedOnce(signal: AbortSignal): Promise<boolean> {
    const abandoned = (await store.requests.abandoned()).filter((source) => !running.has(source));
    if (abandoned.length === 0) return store.requests.hasOpen();
    const syncing = new Set((await store.sources.states()).flatMap((state) => (state.isSyncing ? state.source : [])));
    for (const { connector } of await listSources(parts)) {
      const source = sourceLabel(connector);
      if (abandoned.includes(source) && !syncing.has(source)) await syncAll([connector], { target: source, signal });
    }
    return true;
  }

  function runInBackground(work: Promise<unknown>): void {
    const logged: Promise<unknown> = work.catch((error: unknown) => logger.error({ err: error }, 'a sync failed'));
    background.add(logged);
    void logged.finally(() => background.delete(logged));
  }
}

/** Searches with the embeddings that are chosen at the time. */
async function openSearch(parts: KnowledgeParts): Promise<Search> {
  const { store, retrieval, clock, logger } = parts;
  const [{ createSearch }, { SearchIndex }] = await Promise.all([
    import('./search/search-knowledge.ts'),
    import('./search/search-index.ts'),
  ]);
  const index = new SearchIndex(store);
  let opened: { embedding: KnowledgeParts['embedding']; search: Search } | undefined;
  return async (request, options) => {
    const { embedding } = parts;
    if (!opened || opened.embedding !== embedding) {
      const semantic = embedding
        ? (await import('./search/semantic-search.ts')).createSemanticSearch({ store, logger, ...embedding })
        : undefined;
      opened = { embedding, search: createSearch({ store, index, retrieval, clock, ...(semantic && { semantic }) }) };
    }
    return opened.search(request, options);
  };
}

function failedReport(source: string, dryRun: boolean, durationMs: number, error: string): SyncReport {
  const nothing = { added: 0, changed: 0, removed: 0, unchanged: 0, failed: [], failedCount: 0, chunks: 0 };
  return { source, ...nothing, fetched: 0, upserted: 0, newestAt: null, dryRun, durationMs, error };
}

/** Filters out impossible ids, because PostgreSQL rejects a NUL even in a query parameter. */
function isId(id: string): boolean {
  return /^[\w.:-]{1,200}$/.test(id);
}

function noDocument(id: string): HubError {
  return new HubError(
    'NOT_FOUND',
    `There is no document with the id "${id.slice(0, 80)}". The search tool returns ids.`,
  );
}
