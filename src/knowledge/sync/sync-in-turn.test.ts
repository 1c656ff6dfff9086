import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endedHolder } from '../../../test/support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../../test/support/databases/test-database.ts';
import { type MemoryConnector, memoryConnector } from '../../../test/support/knowledge/memory-connector.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { createKnowledge } from '../create-knowledge.ts';
import type { Knowledge } from '../knowledge.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import type { SyncProgress } from './sync-report.ts';

const source = 'script:memory';
const secondSource = 'filesystem:second';

describe.each(databaseKinds)('syncs of one source by two processes on %s', (kind) => {
  let database: TestDatabase;
  let stores: { store: Store; other: Store };
  let connector: MemoryConnector;
  /** Added in the web app. */
  let second: MemoryConnector;
  let configured: MemoryConnector[];
  let one: Knowledge;
  let two: Knowledge;
  const open: Knowledge[] = [];
  beforeAll(async () => {
    database = await newTestDatabase(kind);
    const openAnother = () => openStore({ db: database.db, clock: systemClock, logger: silentLogger });
    stores = { store: await openAnother(), other: await openAnother() };
  });
  afterAll(async () => {
    await Promise.all([stores.store.close(), stores.other.close()]);
    await database.remove();
  });
  beforeEach(() => {
    connector = memoryConnector({ 'a.md': '# Alpha\n\none' });
    second = Object.assign(memoryConnector({ 'x.md': 'its text' }, 'second'), { type: 'filesystem' as const });
    configured = [connector];
    one = hub(stores.store.knowledge);
    two = hub(stores.other.knowledge);
  });
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
    await one.close();
    await two.close();
    const { documents } = await stores.store.knowledge.documents({ limit: 100 });
    await stores.store.knowledge.removeDocuments(documents.map((each) => each.id));
    await stores.store.knowledge.sources.forget(source);
  });

  it('a sync requested while another process syncs runs afterwards, and is shown as queued until then', async () => {
    const { isReading, goOn } = hold();
    const first = one.sync({ target: source });
    await isReading;
    connector.items['b.md'] = { text: 'new while the first sync was reading' };
    expect(await two.startSync({ target: source })).toEqual({
      sources: [source],
      queued: [source],
      requests: [{ source, id: expect.any(String) }],
    });
    expect((await one.sources())[0]).toMatchObject({ state: 'syncing', requestedAt: expect.any(String) });
    goOn();
    expect(await first).toMatchObject([{ source }]);
    await expect.poll(async () => (await one.stats()).documents).toBe(2);
    await expect
      .poll(async () => (await one.sources())[0])
      .toMatchObject({ state: 'ready', documents: 2, requestedAt: null });
  });

  it('a waiting command says so, and reports the sync that followed its request', async () => {
    const { isReading, goOn } = hold();
    const first = one.sync({ target: source });
    await isReading;
    const phases: SyncProgress['phase'][] = [];
    const second = two.sync({ target: source, full: true, onProgress: ({ phase }) => phases.push(phase) });
    await expect.poll(() => phases).toEqual(['queued']);
    connector.items['b.md'] = { text: 'later' };
    goOn();
    await first;
    const [report] = await second;
    expect(report).not.toHaveProperty('error');
    // Whoever did it, and even if both did, everything was read again.
    expect((report?.added ?? 0) + (report?.unchanged ?? 0)).toBe(2);
    expect(connector.reads.filter((name) => name === 'a.md').length).toBeGreaterThanOrEqual(2);
  });

  it('the syncing process fulfils a request whose process is gone', async () => {
    const { isReading, goOn } = hold();
    const first = one.sync({ target: source });
    await isReading;
    connector.items['b.md'] = { text: 'later' };
    const dead = await openStore({ db: database.db, clock: systemClock, logger: silentLogger, holder: endedHolder() });
    await dead.knowledge.requests.add(source, { full: false });
    goOn();
    await first;
    expect((await one.stats()).documents).toBe(2);
    await dead.close();
    expect((await one.sources())[0]?.requestedAt).toBeNull();
  });

  it('a request is fulfilled even if both the syncing and the requesting process are gone', async () => {
    const dead = await openStore({ db: database.db, clock: systemClock, logger: silentLogger, holder: endedHolder() });
    await dead.knowledge.sources.take(source);
    await dead.knowledge.requests.add(source, { full: false });
    const third = hub(stores.other.knowledge);
    open.push(third);
    const answering = third.answerRequests();
    await expect.poll(async () => (await third.stats()).documents).toBe(1);
    await expect.poll(async () => (await third.sources())[0]?.requestedAt).toBeNull();
    await answering.close();
    await dead.close();
  });

  it('a closing hub leaves its request to others, and a cancelled one withdraws it', async () => {
    const { isReading, goOn } = hold();
    const first = one.sync({ target: source });
    await isReading;
    await two.startSync({ target: source });
    await expect.poll(async () => (await one.sources())[0]?.requestedAt).not.toBeNull();
    expect(await two.cancelSync(source)).toBe(true);
    await expect.poll(async () => (await one.sources())[0]?.requestedAt).toBeNull();
    const other = hub(stores.other.knowledge);
    await other.startSync({ target: source });
    await other.close();
    expect((await one.sources())[0]?.requestedAt).not.toBeNull();
    connector.items['b.md'] = { text: 'later' };
    goOn();
    await first;
    expect((await one.stats()).documents).toBe(2);
  });

  it('cancelling ends the running sync and those that wait for it', async () => {
    const { isReading, goOn } = hold();
    await one.startSync({ target: source });
    await isReading;
    await one.startSync({ target: source });
    const synced: string[] = [];
    one.events.on((event) => {
      if (event.type === 'synced') synced.push(event.report.error ?? 'done');
    });
    expect(await one.cancelSync(source)).toBe(true);
    goOn();
    await expect.poll(() => synced.length).toBe(2);
    expect(synced.join()).not.toContain('done');
    expect((await one.stats()).documents).toBe(0);
    await expect.poll(async () => (await one.sources())[0]?.requestedAt).toBeNull();
    expect(await one.cancelSync(source)).toBe(false);
  });

  it('is cancelled from another process, with everything that waits for it', async () => {
    const reading = Promise.withResolvers<void>();
    connector.onRead = (_sourceId, signal) => {
      reading.resolve();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    const first = one.sync({ target: source });
    await reading.promise;
    const waiting = two.sync({ target: source });
    const third = hub(stores.store.knowledge);
    open.push(third);
    await expect.poll(async () => (await third.sources())[0]?.requestedAt).not.toBeNull();
    expect(await third.cancelSync(source)).toBe(true);
    for (const [report] of await Promise.all([first, waiting])) expect(report?.error).toContain('was cancelled');
    expect((await one.stats()).documents).toBe(0);
    expect((await two.sources())[0]).toMatchObject({ state: 'ready', requestedAt: null });
    expect(await third.cancelSync(source)).toBe(false);
  });

  describe('in a sync of all sources', () => {
    let ids: Map<string, string>;
    let ended: string[];
    let goOn: () => void;
    beforeEach(async () => {
      await one.addSource({ type: 'filesystem', name: 'second', settings: {} });
      const held = hold();
      goOn = held.goOn;
      ended = [];
      one.events.on((event) => event.type === 'synced' && ended.push(event.report.source));
      const { requests } = await one.startSync({ target: 'all' });
      ids = new Map(requests.map(({ source, id }) => [source, id]));
      await held.isReading;
    });
    afterEach(async () => {
      if ((await one.sources()).some((each) => each.source === secondSource)) await one.removeSource(secondSource);
    });

    it.each(['this process', 'another process'])('one whose turn has not come is cancelled by %s', async (by) => {
      expect(await (by === 'this process' ? one : two).cancelSync(secondSource)).toBe(true);
      goOn();
      await expect.poll(() => ended).toEqual([source, secondSource]);
      expect(second.reads).toEqual([]);
      expect(await one.request(ids.get(source) ?? '')).toMatchObject({ outcome: 'complete' });
      expect(await one.request(ids.get(secondSource) ?? '')).toMatchObject({ outcome: 'cancelled', report: null });
      expect((await one.stats()).documents).toBe(1);
    });

    it('one that is removed before its turn is not indexed again', async () => {
      await two.removeSource(secondSource);
      goOn();
      await expect.poll(() => ended).toEqual([source, secondSource]);
      expect((await one.sources()).map((each) => each.source)).toEqual([source]);
      expect((await one.stats()).documents).toBe(1);
    });

    it('one that another process has synced on request before its turn is not synced again', async () => {
      await two.sync({ target: secondSource });
      goOn();
      await expect.poll(() => ended).toEqual([source, secondSource]);
      expect(second.reads).toEqual(['x.md']);
      expect(await one.request(ids.get(secondSource) ?? '')).toMatchObject({ outcome: 'complete' });
    });
  });

  it('a request for a source that leaves the config before its turn ends', async () => {
    configured = [connector, memoryConnector({ 'y.md': 'its text' }, 'third')];
    const { isReading, goOn } = hold();
    const { requests } = await one.startSync({ target: 'all' });
    await isReading;
    configured = [connector];
    goOn();
    const { id = '' } = requests.find((each) => each.source === 'script:third') ?? {};
    await expect.poll(async () => (await two.request(id)).outcome).toBe('cancelled');
    expect(await stores.other.knowledge.requests.hasOpen()).toBe(false);
  });

  it('a command that syncs all sources leaves out one that is removed meanwhile', async () => {
    await one.addSource({ type: 'filesystem', name: 'second', settings: {} });
    const { isReading, goOn } = hold();
    const syncing = one.sync({ target: 'all' });
    await isReading;
    await two.removeSource(secondSource);
    goOn();
    const [, report] = await syncing;
    expect(report).toMatchObject({ source: secondSource, error: expect.stringContaining('was removed before') });
    expect((await one.stats()).documents).toBe(1);
  });

  it('nine requests on three hubs during a sync are all fulfilled, and each can be followed to its end', async () => {
    const { isReading, goOn } = hold();
    const first = one.sync({ target: source });
    await isReading;
    const third = hub(stores.store.knowledge);
    open.push(third);
    const ids: string[] = [];
    for (const [index, at] of [one, two, third, one, two, third, one, two, third].entries()) {
      connector.items[`late-${index}.md`] = { text: `added before request ${index}` };
      const { requests } = await at.startSync({ target: source, full: index % 3 === 0 });
      ids.push(requests[0]?.id ?? '');
    }
    // Equal requests that wait are one.
    expect(new Set(ids).size).toBe(2);
    expect(await third.request(ids[0] ?? '')).toMatchObject({ state: 'waiting', full: true, report: null });
    goOn();
    await first;
    for (const id of new Set(ids)) {
      await expect.poll(async () => (await two.request(id)).state, { timeout: 20_000 }).toBe('done');
      expect(await one.request(id)).toMatchObject({ outcome: 'complete', report: { source } });
    }
    expect((await two.stats()).documents).toBe(10);
    // A full sync fulfilled the full request: everything was read again.
    expect(connector.reads.filter((name) => name === 'a.md').length).toBeGreaterThanOrEqual(2);
    await expect(one.request('sync_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a request stays when another one for the same source is withdrawn', async () => {
    const { isReading, goOn } = hold();
    const first = one.sync({ target: source });
    await isReading;
    await two.startSync({ target: source });
    const stop = new AbortController();
    const third = hub(stores.other.knowledge);
    open.push(third);
    const phases: SyncProgress['phase'][] = [];
    const onProgress = ({ phase }: SyncProgress) => phases.push(phase);
    const withdrawn = third.sync({ target: source, signal: stop.signal, onProgress });
    await expect.poll(() => phases).toEqual(['queued']);
    stop.abort(new Error('The user pressed Ctrl-C.'));
    await withdrawn;
    expect((await one.sources())[0]?.requestedAt).not.toBeNull();
    connector.items['b.md'] = { text: 'later' };
    goOn();
    await first;
    await expect.poll(async () => (await one.stats()).documents).toBe(2);
  });

  it('a queued sync with allowEmpty empties its source', async () => {
    await one.sync({ target: source });
    connector.items = { 'b.md': { text: 'held' } };
    const { isReading, goOn } = hold();
    const first = one.sync({ target: source });
    await isReading;
    await two.startSync({ target: source, allowEmpty: true });
    connector.items = {};
    goOn();
    await first;
    await expect.poll(async () => (await one.stats()).documents).toBe(0);
  });

  it('a queued sync with allowEmpty leaves nothing behind when cancelled', async () => {
    await one.sync({ target: source });
    connector.items['b.md'] = { text: 'new' };
    const { isReading, goOn } = hold();
    // However slow the second process is, the first does not take its request for left behind.
    const isOver = Promise.withResolvers<void>();
    const patient = hub(stores.store.knowledge, { now: systemClock.now, sleep: () => isOver.promise });
    open.push(patient);
    const first = patient.sync({ target: source });
    await isReading;
    const stop = new AbortController();
    const phases: SyncProgress['phase'][] = [];
    const onProgress = ({ phase }: SyncProgress) => phases.push(phase);
    const second = two.sync({ target: source, full: true, allowEmpty: true, signal: stop.signal, onProgress });
    await expect.poll(() => phases).toEqual(['queued']);
    const its = hold();
    goOn();
    await expect.poll(() => phases).toContain('indexing');
    await its.isReading;
    connector.items = {};
    stop.abort(new Error('The user pressed Ctrl-C.'));
    its.goOn();
    expect((await second)[0]?.error).toContain('cancelled');
    isOver.resolve();
    await first;
    expect((await one.sources())[0]?.requestedAt).toBeNull();
    const [later] = await one.sync({ target: source });
    expect(later?.error).toContain('The scan found nothing.');
    expect((await one.stats()).documents).toBe(2);
  });

  it('only the sync with allowEmpty empties an empty source', async () => {
    await one.sync({ target: source });
    const { sources } = stores.store.knowledge;
    const lease = await sources.take(source);
    const gone = hub(stores.other.knowledge);
    await gone.startSync({ target: source, allowEmpty: true });
    await gone.close();
    await lease.release();
    expect((await one.sources())[0]?.requestedAt).not.toBeNull();
    connector.items = {};
    expect((await one.sync({ target: source }))[0]?.error).toContain('The scan found nothing.');
    expect((await one.stats()).documents).toBe(1);
  });

  it('a request is fulfilled once, even by a sync that fails unexpectedly', async () => {
    await stores.other.knowledge.requests.add(source, { full: false });
    connector.scan = () => {
      throw new TypeError('a defect');
    };
    expect((await one.sync({ target: source }))[0]?.error).toBeDefined();
    expect((await one.sources())[0]?.requestedAt).toBeNull();
  });

  function hub(store: KnowledgeStore, clock = systemClock): Knowledge {
    return createKnowledge({
      store,
      clock,
      logger: silentLogger,
      chunking: { maxTokens: 200, overlapTokens: 0 },
      retrieval: { hybridAlpha: 0, candidateKKeyword: 80, candidateKVector: 80, finalLimit: 12 },
      embedding: undefined,
      configured: async () => configured,
      toConnector: async () => second,
      checkSource: async () => {},
    });
  }

  /** Stops the next sync while it reads its first item. */
  function hold(): { isReading: Promise<void>; goOn: () => void } {
    const reading = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    connector.onRead = () => {
      connector.onRead = () => {};
      reading.resolve();
      return going.promise;
    };
    return { isReading: reading.promise, goOn: () => going.resolve() };
  }
});
