import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { distantHolder, endedHolder } from '../../../test/support/databases/holders.ts';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { checkKnowledge } from '../../../test/support/knowledge/knowledge-checks.ts';
import { type MemoryConnector, memoryConnector } from '../../../test/support/knowledge/memory-connector.ts';
import { HubError } from '../../base/hub-error.ts';
import { silentLogger } from '../../base/logger.ts';
import { openStore } from '../../store/open-store.ts';
import { createIndexer, type Indexer } from '../index/indexer.ts';
import type { SyncProgress } from './sync-report.ts';
import { type SyncSourceOptions, syncSource } from './sync-source.ts';

const source = 'script:memory';
const whole = { isSound: true, problems: [] };
let indexer: Indexer;
let badIndexer: Indexer;
beforeAll(() => {
  indexer = createIndexer({ logger: silentLogger });
  const file = new URL('../../../test/support/knowledge/bad-index-worker.ts', import.meta.url);
  badIndexer = createIndexer({ logger: silentLogger, file, limitMs: 2_000 });
});
afterAll(() => Promise.all([indexer.close(), badIndexer.close()]));

describe.each(usualDatabaseKinds)('a sync on %s', (kind) => {
  let stores: TestStores;
  let connector: MemoryConnector;
  beforeEach(async () => {
    stores = await openTestStores(kind);
    connector = memoryConnector({ 'a.md': '# Alpha\n\none', 'b.md': '# Beta\n\ntwo', 'c.txt': 'three' });
  });
  afterEach(() => stores.remove());

  it('adds new items, and reads nothing the next time', async () => {
    expect(await sync()).toEqual({
      source,
      added: 3,
      changed: 0,
      removed: 0,
      unchanged: 0,
      fetched: 3,
      upserted: 3,
      newestAt: '1970-01-01T00:00:01.000Z',
      failed: [],
      failedCount: 0,
      chunks: 3,
      dryRun: false,
      durationMs: 0,
    });
    const { documents } = await stores.store.knowledge.documents({ limit: 10 });
    expect(documents.map(({ sourceId, title, updatedAt, chunks }) => ({ sourceId, title, updatedAt, chunks }))).toEqual(
      [
        { sourceId: 'a.md', title: 'Alpha', updatedAt: 1_000, chunks: 1 },
        { sourceId: 'b.md', title: 'Beta', updatedAt: 1_000, chunks: 1 },
        { sourceId: 'c.txt', title: expect.any(String), updatedAt: 1_000, chunks: 1 },
      ],
    );
    connector.reads = [];
    stores.clock.time += 1_000;
    expect(await sync()).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 3, chunks: 0 });
    expect(connector.reads).toEqual([]);
    await expectSound();
  });

  it('reads only what since, until and limit allow, removes only what is gone, and counts the rest', async () => {
    const times = { 'a.md': 1_000, 'b.md': 2_000, 'c.txt': 3_000 };
    for (const [sourceId, item] of Object.entries(connector.items))
      Object.assign(item, { updatedAt: times[sourceId as keyof typeof times] });
    expect(await sync({ since: 2_000, until: 2_000 })).toMatchObject({ added: 1, fetched: 1, postponed: 2 });
    expect(connector.reads).toEqual(['b.md']);
    expect(await sync({ limit: 1 })).toMatchObject({ added: 1, unchanged: 1, postponed: 1 });
    delete connector.items['b.md'];
    expect(await sync({ since: 3_000 })).toMatchObject({ added: 1, removed: 1, unchanged: 1, postponed: 0 });
    expect(await sync()).not.toHaveProperty('postponed');
    await expectSound();
  });

  it('a partial sync does not fulfil the request for a whole one', async () => {
    const { requests, sources } = stores.store.knowledge;
    await requests.add(source, { full: true });
    stores.clock.time += 1;
    await sync({ limit: 1 });
    expect((await sources.states())[0]?.request).not.toBeNull();
    expect(await sync()).toMatchObject({ added: 2 });
    expect((await sources.states())[0]?.request).toBeNull();
  });

  it('a dry run counts the chunks and finds what cannot be read', async () => {
    connector.items['bad.pdf'] = { text: 'no PDF' };
    expect(await sync({ dryRun: true })).toMatchObject({
      added: 3,
      fetched: 4,
      upserted: 3,
      chunks: 3,
      failedCount: 1,
    });
    expect((await stores.store.knowledge.stats()).documents).toBe(0);
  });

  it('a scan that finds nothing fails and removes nothing, unless allowed', async () => {
    await sync();
    const { items } = connector;
    connector.items = {};
    const refused = await sync();
    expect(refused).toMatchObject({
      removed: 0,
      error:
        'The scan found nothing. The 3 documents from the last sync were kept. If the source is meant to be empty, run "zoo sync script:memory --allow-empty".',
    });
    expect(await sync({ dryRun: true })).toMatchObject({ removed: 0, error: refused.error });
    expect((await stores.store.knowledge.stats()).documents).toBe(3);
    expect((await stores.store.knowledge.sources.states())[0]).toMatchObject({
      outcome: 'failed',
      message: refused.error,
    });
    connector.items = items;
    expect(await sync()).toMatchObject({ unchanged: 3 });
    connector.items = {};
    const emptied = await sync({ allowEmpty: true });
    expect(emptied).toMatchObject({ removed: 3 });
    expect(emptied).not.toHaveProperty('error');
    expect(await sync()).not.toHaveProperty('error');
    await expectSound();
  });

  it('keeps everything in an unreadable folder, and updates the rest', async () => {
    connector.items = Object.fromEntries(
      ['dark/a.md', 'dark/deep/b.md', 'darker.md', 'gone.md', 'kept.md', 'link.md'].map((name) => [
        name,
        { text: name },
      ]),
    );
    await sync();
    connector.items = { 'kept.md': { text: 'changed' } };
    // Nobody can see whether the link leads to a folder.
    connector.lostFolders = {
      dark: 'It is not readable by this user.',
      'link.md': 'It is not readable by this user.',
    };
    const report = await sync();
    expect(report).toMatchObject({
      changed: 1,
      removed: 2,
      failedCount: 2,
      failed: [{ sourceId: 'dark', message: 'It is not readable by this user.' }, { sourceId: 'link.md' }],
    });
    expect(report).not.toHaveProperty('error');
    const { documents } = await stores.store.knowledge.documents({ limit: 10 });
    expect(documents.map((each) => each.sourceId)).toEqual(['dark/a.md', 'dark/deep/b.md', 'kept.md', 'link.md']);
    await expectSound();
  });

  it('drops newly skipped items and says why, even if nothing else is left', async () => {
    connector.items = Object.fromEntries(
      ['.env', 'drafts/a.md', 'drafts/b.md', 'kept.md'].map((name) => [name, { text: name }]),
    );
    await sync();
    const { 'kept.md': kept } = connector.items;
    connector.items = kept ? { 'kept.md': kept } : {};
    connector.leftOut = { '.env': 'secret', 'drafts/': 'ignored', 'new.log': 'ignored' };
    expect(await sync()).toMatchObject({
      unchanged: 1,
      removed: 3,
      skipped: [
        { reason: 'secret', files: 1, folders: 0 },
        { reason: 'ignored', files: 1, folders: 1 },
      ],
      dropped: expect.arrayContaining([
        { reason: 'secret', documents: 1 },
        { reason: 'ignored', documents: 2 },
      ]),
    });
    connector.items = {};
    connector.leftOut = { 'kept.md': 'excluded' };
    const report = await sync();
    expect(report).toMatchObject({ removed: 1, dropped: [{ reason: 'excluded', documents: 1 }] });
    expect(report).not.toHaveProperty('error');
    await expectSound();
  });

  it('touches exactly what changed, was removed or was renamed', async () => {
    await sync();
    const before = await rows();
    stores.clock.time += 1_000;
    change('a.md', '# Alpha\n\nchanged');
    delete connector.items['b.md'];
    rename('c.txt', 'd.txt');
    connector.reads = [];
    expect(await sync()).toMatchObject({ added: 1, changed: 1, removed: 2, unchanged: 0 });
    expect(connector.reads.sort()).toEqual(['a.md', 'd.txt']);
    const after = await rows();
    expect([...after.keys()].sort()).toEqual(['a.md', 'd.txt']);
    expect(after.get('a.md')?.id).toBe(before.get('a.md')?.id);
    expect(after.get('a.md')?.indexedAt).toBe(stores.clock.time);
    await expectSound();
  });

  it('a new version of the same content is stored without indexing', async () => {
    await sync();
    const before = await rows();
    stores.clock.time += 1_000;
    connector.items['a.md'] = { text: '# Alpha\n\none', version: 'touched', updatedAt: 9_000 };
    expect(await sync()).toMatchObject({ changed: 0, unchanged: 3, chunks: 0 });
    const after = await rows();
    expect(after.get('a.md')).toEqual({ ...before.get('a.md'), updatedAt: 9_000 });
    connector.reads = [];
    await sync();
    expect(connector.reads).toEqual([]);
  });

  it('other facts from the source, or other chunk limits, make the same content another document', async () => {
    await sync();
    connector.items['a.md'] = { text: '# Alpha\n\none', tags: ['new'] };
    expect(await sync()).toMatchObject({ changed: 1, unchanged: 2 });
    expect((await rows()).get('a.md')?.tags).toEqual(['new']);
    expect(await sync({}, { maxTokens: 300, overlapTokens: 0 })).toMatchObject({ changed: 3, unchanged: 0 });
    expect(await sync({}, { maxTokens: 300, overlapTokens: 0 })).toMatchObject({ changed: 0, unchanged: 3 });
    await expectSound();
  });

  it('a document without text has no chunks and is not read again', async () => {
    connector.items = { 'empty.md': { text: '' } };
    expect(await sync()).toMatchObject({ added: 1, chunks: 0, failedCount: 0 });
    expect((await rows()).get('empty.md')).toMatchObject({ chunks: 0, size: 0 });
    expect(await sync()).toMatchObject({ unchanged: 1 });
    await expectSound();
  });

  it('a full sync reads everything and indexes what changed', async () => {
    await sync();
    connector.items['a.md'] = { text: 'sneaky', version: '# Alpha\n\none' };
    expect(await sync()).toMatchObject({ changed: 0, unchanged: 3 });
    connector.reads = [];
    expect(await sync({ full: true })).toMatchObject({ changed: 1, unchanged: 2 });
    expect(connector.reads).toHaveLength(3);
  });

  it('a dry run reports the same and writes nothing', async () => {
    await sync();
    change('a.md', 'changed');
    connector.items['b.md'] = { text: '# Beta\n\ntwo', version: 'touched' };
    delete connector.items['c.txt'];
    connector.items['new.md'] = { text: 'new' };
    const before = await everything();
    expect(await sync({ dryRun: true })).toMatchObject({
      added: 1,
      changed: 1,
      removed: 1,
      unchanged: 1,
      dryRun: true,
    });
    expect(await everything()).toEqual(before);
    expect(await sync()).toMatchObject({ added: 1, changed: 1, removed: 1, unchanged: 1 });
  });

  it('an unreadable item is reported, keeps its last version, and is tried again', async () => {
    await sync();
    const before = await rows();
    connector.lost['a.md'] = 'It is too large.';
    delete connector.items['a.md'];
    change('b.md', 'UNREADABLE');
    change('c.txt', 'BROKEN');
    const report = await sync();
    expect(report).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 0, failedCount: 3 });
    expect(report.failed).toEqual([
      { sourceId: 'a.md', message: 'It is too large.' },
      { sourceId: 'b.md', message: 'It is locked.' },
      { sourceId: 'c.txt', message: 'It cannot be read because of an unexpected error. See the log.' },
    ]);
    expect(await rows()).toEqual(before);
    connector.lost = {};
    change('a.md', '# Alpha\n\none');
    change('b.md', 'well again');
    change('c.txt', 'well again');
    expect(await sync()).toMatchObject({ changed: 2, unchanged: 1, failedCount: 0 });
  });

  it('reports the first hundred failures and counts all', async () => {
    connector.lost = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`${index}`, 'No.']));
    const report = await sync();
    expect(report.failed).toHaveLength(100);
    expect(report.failedCount).toBe(130);
  });

  it('an item with a duplicate or invalid id is reported', async () => {
    connector.items = {
      'a\0b': { text: 'x' },
      '': { text: 'y' },
      good: { text: 'z' },
      [`${'n'.repeat(2_001)}`]: { text: 'z' },
    };
    const scan = connector.scan;
    connector.scan = async function* (context) {
      yield* scan(context);
      yield* scan(context);
    };
    const report = await sync();
    expect(report).toMatchObject({ added: 1, failedCount: 7 });
    expect(report.failed.map(({ message }) => message)).toContain(
      'Another item has the same id. Only the first one is indexed.',
    );
  });

  it('an interrupted scan removes nothing, but indexes what it saw', async () => {
    await sync();
    stores.clock.time += 1_000;
    connector.items = { 'new.md': { text: 'new' } };
    connector.scanError = new HubError('UNAVAILABLE', 'The disk is gone.');
    const report = await sync();
    expect(report).toMatchObject({ added: 1, removed: 0, error: 'The disk is gone.' });
    expect([...(await rows()).keys()]).toEqual(['a.md', 'b.md', 'c.txt', 'new.md']);
    expect(await state()).toMatchObject({ outcome: 'failed', message: 'The disk is gone.', isSyncing: false });
    connector.scanError = undefined;
    expect(await sync()).toMatchObject({ removed: 3, unchanged: 1 });
    expect(await state()).toMatchObject({ outcome: 'complete', message: null });
  });

  it('an unexpected error of a scan is thrown, and the state hides the details', async () => {
    connector.scanError = new TypeError('secret');
    await expect(sync()).rejects.toThrow('secret');
    expect(await state()).toMatchObject({ outcome: 'failed', message: 'Internal error', isSyncing: false });
    connector.scanError = undefined;
    await sync();
  });

  it('a cancelled sync keeps what it published, removes nothing and leaves nothing open', async () => {
    await sync();
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`n${index}.md`, { text: `text ${index}` }]),
    );
    connector.items = many;
    const controller = new AbortController();
    connector.onRead = (sourceId) => {
      if (sourceId === 'n399.md') controller.abort(new HubError('CANCELLED', 'Enough.'));
    };
    stores.clock.time += 1_000;
    const report = await sync({ signal: controller.signal });
    stores.clock.time += 1_000;
    expect(report.error).toBe('Enough.');
    expect(report.added).toBeLessThan(400);
    const kept = await rows();
    expect(['a.md', 'b.md', 'c.txt'].every((name) => kept.has(name))).toBe(true);
    expect(kept.size).toBe(3 + report.added);
    expect(await state()).toMatchObject({ outcome: 'cancelled', message: 'Enough.', isSyncing: false });
    connector.onRead = () => {};
    expect(await sync()).toMatchObject({ added: 400 - report.added, removed: 3, unchanged: report.added });
    await expectSound();
  });

  it('a second sync of a source fails and names the first', async () => {
    let mayGoOn = () => {};
    const isReading = new Promise<void>((resolve) => {
      connector.onRead = () => {
        resolve();
        return new Promise<void>((go) => {
          mayGoOn = go;
          connector.onRead = () => {};
        });
      };
    });
    const first = sync();
    await isReading;
    const second = syncSource({ ...parts(), store: stores.other.knowledge }, connector);
    await expect(second).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`"${source}" is being synced by process ${process.pid} on `),
    });
    mayGoOn();
    expect(await first).toMatchObject({ added: 3 });
    expect(await syncSource({ ...parts(), store: stores.other.knowledge }, connector)).toMatchObject({ unchanged: 3 });
  });

  it('a sync keeps its lease and its segments when the clock jumps', async () => {
    const other = { ...parts(), store: stores.other.knowledge };
    let hasJumped = false;
    connector.onRead = async () => {
      if (hasJumped) return;
      hasJumped = true;
      stores.clock.time += 600_000;
      await expect(syncSource(other, connector)).rejects.toMatchObject({ code: 'CONFLICT' });
      await syncSource(other, memoryConnector({ 'x.md': 'text' }, 'neighbour'));
      stores.clock.time -= 1_200_000;
      await expect(syncSource(other, connector)).rejects.toMatchObject({ code: 'CONFLICT' });
    };
    expect(await sync()).toMatchObject({ added: 3, failed: [] });
    expect(hasJumped).toBe(true);
    await expectSound();
  });

  it('the lease of a dead process is taken over, and that of another machine is respected', async () => {
    const open = (holder: string) => openStore({ ...stores, logger: silentLogger, holder });
    const [dead, distant] = [await open(endedHolder()), await open(distantHolder('far'))];
    await dead.knowledge.sources.take(source);
    expect(await sync()).toMatchObject({ added: 3 });
    const held = await distant.knowledge.sources.take(source);
    stores.clock.time += 3_600_000;
    await expect(sync()).rejects.toMatchObject({ code: 'CONFLICT' });
    await held.release();
    expect(await sync()).toMatchObject({ unchanged: 3 });
    await Promise.all([dead.close(), distant.close()]);
  });

  it('a sync that lost its lease stops and leaves the state to the other', async () => {
    const lost = new AbortController();
    let stopped = false;
    vi.spyOn(stores.store.knowledge.sources, 'take').mockResolvedValue({ lost: lost.signal, release: async () => {} });
    connector.onRead = (sourceId) => {
      if (sourceId === 'b.md') lost.abort();
    };
    const read = connector.scan;
    connector.scan = (context) => {
      context.signal.addEventListener('abort', () => {
        stopped = true;
      });
      return read(context);
    };
    await expect(sync()).rejects.toThrow(`Another process has taken over the sync of ${source}.`);
    expect(stopped).toBe(true);
    expect(await state()).toMatchObject({ outcome: null });
  });

  it('a document that hangs or crashes the thread is reported, and all others are indexed', async () => {
    connector.items = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${index}.md`, { text: `text ${index}` }]),
    );
    change('3.md', 'HANG');
    change('11.md', 'EXIT');
    change('17.md', 'BUILD');
    change('5.md', 'THROW');
    stores.clock.time += 1_000;
    const report = await sync({}, undefined, badIndexer);
    expect(report).toMatchObject({ added: 16, failedCount: 4 });
    expect(Object.fromEntries(report.failed.map(({ sourceId, message }) => [sourceId, message]))).toEqual({
      '3.md': 'Reading it took longer than 2 seconds.',
      '11.md': expect.stringMatching(/thread/),
      '17.md': expect.stringMatching(/thread/),
      '5.md': 'Its text cannot be read. The file may be damaged.',
    });
    expect((await rows()).size).toBe(16);
    stores.clock.time += 1_000;
    for (const name of ['3.md', '11.md', '17.md', '5.md']) change(name, 'healed');
    expect(await sync({}, undefined, badIndexer)).toMatchObject({ added: 4, unchanged: 16 });
    await expectSound();
  });

  it('reports its progress and its result, also to other processes', async () => {
    // More than one batch: what was read is counted when its batch is written.
    const count = 1_100;
    connector.items = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${index}.md`, { text: `${index}` }]),
    );
    const seen: SyncProgress[] = [];
    connector.onRead = async (sourceId) => {
      stores.clock.time += 100;
      if (sourceId !== `${count - 1}.md`) return;
      await vi.waitFor(async () => {
        const saved = (await stores.other.knowledge.sources.states())[0]?.report;
        expect(saved).toMatchObject({ source, phase: 'indexing', seen: count, toRead: count });
      });
    };
    const report = await sync({ onProgress: (progress) => seen.push(progress) });
    // A sync reports what a read throws, the check above included.
    expect(report.failed).toEqual([]);
    expect(report.durationMs).toBe(count * 100);
    expect([...new Set(seen.map((each) => each.phase))]).toEqual([
      'scanning',
      'indexing',
      'removing',
      'merging',
      'done',
    ]);
    expect(seen.at(-1)).toEqual({ source, phase: 'done', seen: count, toRead: count, read: count });
    expect(await state()).toMatchObject({ outcome: 'complete', report, finishedAt: stores.clock.time });
  });

  it('keeps segments that another sync opened after the clock was set back', async () => {
    const { knowledge } = stores.other;
    await knowledge.sources.take('script:busy');
    const begun = { startedAt: stores.clock.time, finishedAt: null, outcome: null, message: null, report: null };
    await knowledge.sources.saveState('script:busy', begun);
    stores.clock.time -= 600_000;
    const busy = await knowledge.openSegment(1);
    stores.clock.time += 1_000;
    await sync();
    await knowledge.addDocuments(busy.segment, [{ docNo: busy.firstDocNo, body: 'kept', chunks: [] }]);
  });

  it('the next sync of any source removes the open segments of a killed process, but not those of a running sync', async () => {
    const { knowledge } = stores.other;
    const left = await knowledge.openSegment(1);
    await knowledge.addDocuments(left.segment, [{ docNo: left.firstDocNo, body: 'lost', chunks: [] }]);
    stores.clock.time += 1_000;
    const lease = await knowledge.sources.take('script:busy');
    const startedAt = stores.clock.time;
    await knowledge.sources.saveState('script:busy', {
      startedAt,
      finishedAt: null,
      outcome: null,
      message: null,
      report: null,
    });
    const busy = await knowledge.openSegment(1);
    stores.clock.time += 1_000;
    await sync();
    await expect(knowledge.addPostings(left.segment, [{ term: 'x', data: new Uint8Array(1) }])).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await knowledge.addDocuments(busy.segment, [{ docNo: busy.firstDocNo, body: 'kept', chunks: [] }]);
    await lease.release();
    stores.clock.time += 1_000;
    await sync();
    await expectSound();
  });

  it('two sources are synced at the same time by two processes', async () => {
    const texts = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 1_300 }, (_, index) => [`${index}.md`, `${prefix} ${index}`]));
    const other = { ...parts(), store: stores.other.knowledge };
    const reports = await Promise.all([
      syncSource(parts(), memoryConnector(texts('one'), 'one')),
      syncSource(other, memoryConnector(texts('two'), 'two')),
    ]);
    expect(reports).toMatchObject([{ added: 1_300 }, { added: 1_300 }]);
    expect((await stores.store.knowledge.stats()).documents).toBe(2_600);
    stores.clock.time += 1_000;
    await sync();
    await expectSound();
  });

  it('many batches end in few segments', async () => {
    connector.items = Object.fromEntries(
      Array.from({ length: 1_500 }, (_, index) => [`${index}.md`, { text: `t${index}` }]),
    );
    expect(await sync()).toMatchObject({ added: 1_500 });
    const { segments, documents } = await stores.store.knowledge.stats();
    expect(documents).toBe(1_500);
    expect(segments).toBeLessThanOrEqual(8);
    stores.clock.time += 1_000;
    await expectSound();
  });

  function parts(chunking = { maxTokens: 700, overlapTokens: 80 }, by = indexer) {
    return { store: stores.store.knowledge, indexer: by, clock: stores.clock, logger: silentLogger, chunking };
  }

  function sync(
    options: SyncSourceOptions = {},
    chunking?: { maxTokens: number; overlapTokens: number },
    by?: Indexer,
  ) {
    return syncSource(parts(chunking, by), connector, options);
  }

  function change(name: string, text: string): void {
    connector.items[name] = { text };
  }

  function rename(from: string, to: string): void {
    const item = connector.items[from];
    delete connector.items[from];
    if (item) connector.items[to] = item;
  }

  async function rows() {
    const { documents } = await stores.store.knowledge.documents({ source, limit: 1_000 });
    return new Map(documents.map((document) => [document.sourceId, document]));
  }

  async function state() {
    return (await stores.store.knowledge.sources.states()).find((each) => each.source === source);
  }

  async function everything() {
    const { knowledge } = stores.store;
    return {
      documents: await rows(),
      states: await knowledge.sources.states(),
      segments: await knowledge.segments(),
      items: await knowledge.items(source),
    };
  }

  async function expectSound(): Promise<void> {
    expect(await checkKnowledge(stores.db)).toMatchObject(whole);
  }
});
