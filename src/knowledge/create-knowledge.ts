import { EventChannel } from '../base/events.ts';
import { HubError, toHubError } from '../base/hub-error.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import { parseWith } from '../base/validate.ts';
import { type Connector, sourceLabel } from './connector.ts';
import { type Embedder, embeddingsDisabled } from './embedder.ts';
import type { EmbeddingState, EmbedProgress, Knowledge, KnowledgeEvent, SyncOptions } from './knowledge.ts';
import type { createSearch } from './search/search-knowledge.ts';
import { SearchRequest } from './search/search-request.ts';
import { chooseSources, describeSources, explainPath, listSources, type SourceListParts } from './source-list.ts';
import type { StoredSource } from './store/knowledge-store.ts';
import type { SyncProgress, SyncReport } from './sync/sync-report.ts';

export interface KnowledgeParts extends SourceListParts {
  chunking: { maxTokens: number; overlapTokens: number };
  retrieval: { hybridAlpha: number; candidateKKeyword: number; candidateKVector: number; finalLimit: number };
  /** Undefined where embeddings are disabled. */
  embedding: { embedder: Embedder; provider: string; model: string } | undefined;
  logger: Logger;
  /** Throws INVALID_ARGUMENTS for a folder that is not there, an address git cannot use, a wrong setting. */
  checkSource(source: Pick<StoredSource, 'type' | 'name' | 'settings'>): Promise<void>;
}

const removeAtOnce = 500;
const progressEveryMs = 100;
const answerEveryMs = 5_000;

/** The knowledge base of one hub. What a search or a sync needs is loaded when the first one comes. */
export function createKnowledge(parts: KnowledgeParts): Knowledge {
  const { store, clock, logger, embedding } = parts;
  const events = new EventChannel<KnowledgeEvent>((error) => logger.error({ err: error }, 'a listener failed'));
  /** By source: the sync that runs here, and those that wait for their turn. */
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
    async sync(options) {
      const chosen = await chooseSources(parts, options.target);
      return syncAll(
        chosen.map((each) => each.connector),
        options,
      );
    },
    async startSync(options) {
      const connectors = (await chooseSources(parts, options.target)).map((each) => each.connector);
      const sources = connectors.map(sourceLabel);
      const request = { full: options.full ?? false };
      for (const source of sources) await store.sources.request(source, request);
      const states = await store.sources.states();
      keep(syncAll(connectors, { ...options, signal: closing.signal }));
      const taken = states.filter(({ isSyncing }) => isSyncing).map((state) => state.source);
      return { sources, queued: sources.filter((source) => taken.includes(source)) };
    },
    answerRequests: () => answerRequests(),
    explain: (path, options) => explainPath(parts, path, options),
    cancelSync(source) {
      const found = running.get(source);
      if (!found) return false;
      const reason = new HubError('CANCELLED', `The sync of ${source} was cancelled.`);
      for (const controller of found) controller.abort(reason);
      keep(store.sources.clearRequest(source, Number.MAX_SAFE_INTEGER));
      return true;
    },
    watch: () => watchFolders(),
    async addSource(source) {
      const label = sourceLabel(source);
      await parts.checkSource(source);
      if ((await listSources(parts)).some((each) => sourceLabel(each.connector) === label)) {
        throw new HubError('CONFLICT', `There is a source "${label}" already. Choose another name.`);
      }
      await store.sources.add({ ...source, source: label, createdAt: clock.now() });
      events.emit({ type: 'sources' });
      const info = (await describeSources(parts, progress)).find((each) => each.source === label);
      if (!info) throw new HubError('CONFLICT', `The source "${label}" was removed again meanwhile.`);
      return info;
    },
    async removeSource(source) {
      const info = (await describeSources(parts, progress)).find((each) => each.source === source);
      if (!info) throw new HubError('NOT_FOUND', `There is no source "${source.slice(0, 80)}".`);
      if (info.origin === 'config') {
        throw new HubError('PERMISSION_DENIED', `The source "${source}" stands in the config file; remove it there.`);
      }
      knowledge.cancelSync(source);
      if (info.origin === 'store') await store.sources.remove(source);
      await removeDocuments(source);
      await store.sources.forget(source);
      events.emit({ type: 'sources' });
    },
    async embed(options) {
      if (!embedding) throw embeddingsDisabled();
      const { embedPending } = await import('./sync/embed-pending.ts');
      return embedPending({ store, embedder: embedding.embedder, clock, logger }, options);
    },
    startEmbedding({ rebuild = false }) {
      if (!embedding) throw embeddingsDisabled();
      keep(embedNews({ rebuild, signal: closing.signal }));
    },
    async close() {
      stopWatching();
      closing.abort(new HubError('CANCELLED', 'The hub is closing.'));
      await Promise.allSettled(background);
      await (await indexer.begun?.catch(() => undefined))?.close();
      await embedding?.embedder.close?.();
    },
  };
  return knowledge;

  async function syncAll(connectors: readonly Connector[], options: SyncOptions): Promise<SyncReport[]> {
    const reports: SyncReport[] = [];
    for (const connector of connectors) {
      if (options.signal?.aborted) break;
      reports.push(await syncOne(connector, options));
    }
    if (!options.dryRun && embedding && !options.signal?.aborted) {
      await embedNews({ rebuild: false, ...(options.signal && { signal: options.signal }) });
    }
    return reports;
  }

  /** A source that cannot be read must not keep the others from their turn. */
  async function syncOne(connector: Connector, options: SyncOptions): Promise<SyncReport> {
    const source = sourceLabel(connector);
    const controller = new AbortController();
    const signals = [controller.signal, closing.signal, ...(options.signal ? [options.signal] : [])];
    const startedAt = clock.now();
    let toldAt = 0;
    const together = running.get(source) ?? new Set();
    running.set(source, together.add(controller));
    try {
      const [{ syncSource }, { syncInTurn, isLeftBehind, unlessTaken }] = await Promise.all([
        import('./sync/sync-source.ts'),
        import('./sync/sync-in-turn.ts'),
      ]);
      const made = await indexer();
      const signal = AbortSignal.any(signals);
      const asked = { full: options.full ?? false, allowEmpty: options.allowEmpty ?? false };
      const sync = (how: Partial<typeof asked>) =>
        syncSource({ store, indexer: made, clock, logger, chunking: parts.chunking }, connector, {
          ...how,
          dryRun: options.dryRun ?? false,
          signal,
          onProgress: tell,
        });
      const turn = {
        sources: store.sources,
        clock,
        sync: () => sync(asked),
        onQueued: () => tell({ source, phase: 'queued', seen: 0, toRead: 0, read: 0 }),
        isClosing: () => closing.signal.aborted,
      };
      let report = await syncInTurn(turn, source, { ...asked, signal });
      while (!options.dryRun && !signal.aborted && (await isLeftBehind(turn, source, signal))) {
        report = (await unlessTaken(() => sync({}))) ?? report;
      }
      return done(report);
    } catch (error) {
      const known = toHubError(error);
      if (known.code === 'INTERNAL_ERROR') logger.error({ err: error, source }, 'a sync failed unexpectedly');
      return done(failedReport(source, options.dryRun ?? false, clock.now() - startedAt, known.message));
    }

    function tell(now: SyncProgress): void {
      const last = progress.get(source);
      progress.set(source, now);
      options.onProgress?.(now);
      // Pages show some news a second, not thousands.
      if (last?.phase === now.phase && clock.now() - toldAt < progressEveryMs) return;
      toldAt = clock.now();
      events.emit({ type: 'progress', progress: now });
    }

    function done(report: SyncReport): SyncReport {
      together.delete(controller);
      if (together.size === 0) running.delete(source);
      progress.delete(source);
      events.emit({ type: 'synced', report });
      return report;
    }
  }

  /** Search by meaning follows; that it cannot now (no network, no key) does not undo the sync. */
  async function embedNews(options: { rebuild: boolean; signal?: AbortSignal }): Promise<void> {
    const tell = (now: EmbedProgress, rest: { done: boolean; message?: string }) =>
      events.emit({ type: 'embedding', progress: now, ...rest });
    let last: EmbedProgress = { embedded: 0, pending: 0 };
    try {
      const onProgress = (now: EmbedProgress) => {
        last = now;
        tell(now, { done: false });
      };
      tell(await knowledge.embed({ ...options, onProgress }), { done: true });
    } catch (error) {
      const known = toHubError(error);
      logger.warn({ err: error }, 'the embeddings could not be brought up to date');
      tell(last, { done: true, message: known.message });
    }
  }

  async function removeDocuments(source: string): Promise<void> {
    const ids = [...(await store.items(source)).values()].map((item) => item.id);
    for (let start = 0; start < ids.length; start += removeAtOnce) {
      await store.removeDocuments(ids.slice(start, start + removeAtOnce));
    }
  }

  async function embeddingState(): Promise<EmbeddingState> {
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

  /** Whoever waits for a request answers it; this is for those whose process is gone. */
  function answerRequests(): { close(): Promise<void> } {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, closing.signal]);
    const loop = (async () => {
      for (;;) {
        await answerOnce(signal).catch((error: unknown) => {
          if (!signal.aborted) logger.error({ err: error }, 'requested syncs cannot be looked for');
        });
        await clock.sleep(answerEveryMs, signal);
      }
    })();
    // It ends by being told to.
    loop.catch(() => {});
    return {
      async close() {
        ending.abort(new HubError('CANCELLED', 'Requests are no longer answered here.'));
        await loop.catch(() => {});
      },
    };
  }

  async function answerOnce(signal: AbortSignal): Promise<void> {
    const requested = (await store.sources.states()).filter(
      ({ request, source }) => request && Math.abs(clock.now() - request.at) >= answerEveryMs && !running.has(source),
    );
    if (requested.length === 0) return;
    const known = new Map((await listSources(parts)).map(({ connector }) => [sourceLabel(connector), connector]));
    for (const state of requested) {
      const connector = known.get(state.source);
      if (connector && !state.isSyncing) await syncAll([connector], { target: state.source, signal });
    }
  }

  function keep(work: Promise<unknown>): void {
    const kept: Promise<unknown> = work.catch((error: unknown) => logger.error({ err: error }, 'a sync failed'));
    background.add(kept);
    void kept.finally(() => background.delete(kept));
  }
}

async function openSearch(parts: KnowledgeParts): Promise<ReturnType<typeof createSearch>> {
  const { store, retrieval, clock, embedding } = parts;
  const [{ createSearch }, { SearchIndex }] = await Promise.all([
    import('./search/search-knowledge.ts'),
    import('./search/search-index.ts'),
  ]);
  const semantic = embedding
    ? (await import('./search/semantic-search.ts')).createSemanticSearch({ store, embedder: embedding.embedder })
    : undefined;
  return createSearch({ store, index: new SearchIndex(store), retrieval, clock, ...(semantic && { semantic }) });
}

function failedReport(source: string, dryRun: boolean, durationMs: number, error: string): SyncReport {
  const nothing = { added: 0, changed: 0, removed: 0, unchanged: 0, failed: [], failedCount: 0, chunks: 0 };
  return { source, ...nothing, dryRun, durationMs, error };
}

/** Nothing else is the id of a document, and PostgreSQL takes no NUL, not even in a question. */
function isId(id: string): boolean {
  return /^[\w.:-]{1,200}$/.test(id);
}

function noDocument(id: string): HubError {
  return new HubError('NOT_FOUND', `There is no document with the id "${id.slice(0, 80)}". The search tool gives ids.`);
}
