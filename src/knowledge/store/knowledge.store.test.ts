import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores, testAgent } from '../../../test/support/databases/test-store.ts';
import {
  chunksOf,
  leftOverRows,
  publishDocuments,
  testDocument,
  writeSegment,
} from '../../../test/support/knowledge/test-knowledge.ts';

describe.each(databaseKinds)('the knowledge base in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('an empty knowledge base returns nothing', async () => {
    const { knowledge } = stores.store;
    expect(knowledge.revision()).toBe(0);
    expect(await knowledge.segments()).toEqual({ revision: 0, segments: [], removed: [], touched: [] });
    expect(await knowledge.postings([1, 2], ['a'])).toEqual({ revision: 0, rows: [] });
    expect(await knowledge.documents({ limit: 10 })).toEqual({ documents: [], cursor: null });
    expect(await knowledge.stats()).toEqual({ documents: 0, chunks: 0, size: 0, segments: 0, sources: [] });
    expect(await knowledge.passages([])).toEqual([]);
    expect(await knowledge.passages([{ docNo: 1, ordinal: 0 }])).toEqual([]);
    expect(await knowledge.postingsPage([], null, 10)).toEqual([]);
    expect(await knowledge.items('git:none')).toEqual(new Map());
  });

  it('nothing is visible before publishing, and everything afterwards', async () => {
    const { knowledge } = stores.store;
    const other = stores.other.knowledge;
    const before = await other.segments();
    const segment = await writeSegment(knowledge, [testDocument('one', { source: 'filesystem:first' })]);
    const [document] = segment.documents;
    if (!document) throw new Error('The segment has a document.');
    expect(await other.segments()).toEqual(before);
    expect(await other.document(document.id)).toBeUndefined();
    expect(await other.body(document.id)).toBeUndefined();
    expect(await other.chunks(document.id)).toEqual([]);
    expect(await other.passages([{ docNo: document.docNo, ordinal: 0 }])).toEqual([]);
    expect(await other.items('filesystem:first')).toEqual(new Map());
    expect(await other.segmentHeader(segment.segment)).toBeUndefined();
    expect(await other.vectors.countPending('m')).toBe(0);
    expect(await other.stats()).toMatchObject({ documents: 0, segments: 0 });

    await knowledge.publish(segment);
    // At once: the notice of it cannot have reached the other one yet.
    const [pending, stats] = await Promise.all([other.vectors.countPending('m'), other.stats()]);
    expect(pending).toBe(3);
    expect(stats).toEqual({
      documents: 1,
      chunks: 3,
      size: 11,
      segments: 1,
      sources: [{ source: 'filesystem:first', documents: 1, chunks: 3, updatedAt: document.updatedAt }],
    });
    expect(await other.segments()).toEqual({
      revision: before.revision + 1,
      segments: [{ id: segment.segment, chunks: 3 }],
      removed: [],
      touched: [],
    });
    expect(await other.segmentHeader(segment.segment)).toEqual(segment.header);
    const { docNo, version, ...fields } = document;
    expect(await other.document(document.id)).toEqual({ ...fields, indexedAt: stores.clock.time });
    expect(await other.body(document.id)).toBe('Text of one');
    expect(await other.chunks(document.id)).toEqual(chunksOf('one').map(({ hash, ...chunk }) => chunk));
    expect(await other.items('filesystem:first')).toEqual(
      new Map([[document.sourceId, { id: document.id, version, hash: document.hash }]]),
    );
    const keys = [2, 7, 0].map((ordinal) => ({ docNo, ordinal }));
    const passages = await other.passages(keys);
    expect(passages.map((passage) => [passage.docNo, passage.ordinal, passage.text])).toEqual([
      [docNo, 2, 'one two'],
      [docNo, 0, 'one zero'],
    ]);
    expect(passages[0]?.document).toEqual(await other.document(document.id));
  });

  it('a new version replaces the previous one with all its rows', async () => {
    const { knowledge } = stores.store;
    const source = 'filesystem:versions';
    const first = await publishDocuments(knowledge, [
      testDocument('changed', { source }),
      testDocument('kept', { source }),
    ]);
    const second = await publishDocuments(stores.other.knowledge, [testDocument('changed', { source, version: '2' })]);
    const [old, kept] = first.documents;
    const [now] = second.documents;
    if (!old || !kept || !now) throw new Error('The documents are there.');
    expect(await knowledge.document(old.id)).toMatchObject({ hash: now.hash, sourceId: 'changed.md' });
    expect(await knowledge.body(old.id)).toBe('Text of changed 2');
    expect((await knowledge.chunks(old.id)).map((chunk) => chunk.text)).toEqual([
      'changed 2 zero',
      'changed 2 one',
      'changed 2 two',
    ]);
    expect(await knowledge.passages([{ docNo: old.docNo, ordinal: 0 }])).toEqual([]);
    expect(await knowledge.passages([{ docNo: kept.docNo, ordinal: 0 }])).toHaveLength(1);
    expect((await knowledge.segments()).removed).toEqual([old.docNo]);
    expect(await knowledge.items(source)).toEqual(
      new Map([
        ['changed.md', { id: now.id, version: 'v-2', hash: now.hash }],
        ['kept.md', { id: kept.id, version: 'v-', hash: kept.hash }],
      ]),
    );
    expect(await leftOver()).toEqual([]);
  });

  it('documents can be removed alone or while publishing', async () => {
    const { knowledge } = stores.store;
    const source = 'filesystem:removed';
    const names = ['one', 'two', 'three'];
    const { documents } = await publishDocuments(
      knowledge,
      names.map((name) => testDocument(name, { source })),
    );
    const [one, two, three] = documents;
    if (!one || !two || !three) throw new Error('The documents are there.');
    const before = await knowledge.segments();
    await stores.other.knowledge.removeDocuments([one.id, 'never-there']);
    const after = await knowledge.segments();
    expect(after.revision).toBe(before.revision + 1);
    expect(after.removed).toEqual([...before.removed, one.docNo]);

    const next = await writeSegment(knowledge, [testDocument('four', { source })]);
    await knowledge.publish({ ...next, removedIds: [two.id] });
    expect([...(await knowledge.items(source)).keys()]).toEqual(['four.md', 'three.md']);
    expect((await knowledge.segments()).removed).toEqual([...before.removed, one.docNo, two.docNo]);
    expect(await leftOver()).toEqual([]);
  });

  it('texts without a published document are removed with their segment', async () => {
    const { knowledge } = stores.store;
    const source = 'filesystem:partly';
    const segment = await writeSegment(
      knowledge,
      ['in', 'out'].map((name) => testDocument(name, { source })),
    );
    await knowledge.publish({ ...segment, documents: segment.documents.slice(0, 1) });
    expect([...(await knowledge.items(source)).keys()]).toEqual(['in.md']);
    expect((await knowledge.segments()).removed).toContain(segment.firstDocNo + 1);
    expect(await leftOver()).toEqual([]);
  });

  it('touching a document changes only its version and time', async () => {
    const { knowledge } = stores.store;
    const source = 'filesystem:touched';
    const names = ['one', 'same', 'other'];
    const { documents } = await publishDocuments(
      knowledge,
      names.map((name) => testDocument(name, { source })),
    );
    const [one, same, other] = documents;
    if (!one || !same || !other) throw new Error('The documents are there.');
    const before = await knowledge.segments();
    await knowledge.touchDocuments([
      { id: one.id, version: 'touched', updatedAt: 5.5 },
      { id: same.id, version: 'only the version', updatedAt: same.updatedAt },
      { id: 'never-there', version: 'x', updatedAt: 1 },
    ]);
    const { docNo, version, ...fields } = one;
    const { indexedAt, ...touched } = (await stores.other.knowledge.document(one.id)) ?? {};
    expect(touched).toEqual({ ...fields, updatedAt: 5 });
    const items = await knowledge.items(source);
    expect(names.map((name) => items.get(`${name}.md`)?.version)).toEqual(['touched', 'only the version', 'v-']);
    const after = await knowledge.segments();
    expect(after).toEqual({ ...before, revision: before.revision + 1, touched: [{ docNo, updatedAt: 5 }] });
    await publishDocuments(knowledge, [testDocument('one', { source, version: '2' })]);
    expect((await knowledge.segments()).touched).toEqual([]);
  });

  it('other processes are notified of each change, and of nothing else', async () => {
    const { knowledge } = stores.store;
    const { revision } = await knowledge.segments();
    // Until then it may still hear of what other tests changed.
    for (const each of [knowledge, stores.other.knowledge]) {
      await vi.waitFor(() => expect(each.revision()).toBe(revision));
    }
    let reports = 0;
    const stop = stores.other.knowledge.watch(() => {
      reports += 1;
    });
    const segment = await writeSegment(knowledge, [testDocument('heard')]);
    await stores.store.agents.create(testAgent('heard'));
    await (await knowledge.sources.take('filesystem:docs')).release();
    expect(knowledge.revision()).toBe(revision);
    await knowledge.publish(segment);
    expect(knowledge.revision()).toBe(revision + 1);
    await vi.waitFor(() => expect(reports).toBe(1));
    expect(stores.other.knowledge.revision()).toBe(revision + 1);
    await stores.other.knowledge.removeDocuments(segment.documents.map((document) => document.id));
    expect(reports).toBe(2);
    await vi.waitFor(() => expect(knowledge.revision()).toBe(revision + 2));
    stop();
  });

  it('characters that no database can store are replaced', async () => {
    const { knowledge } = stores.store;
    const document = { ...testDocument('nul\0half\ud800', { source: 'filesystem:odd' }), id: 'odd' };
    const { segment } = await publishDocuments(knowledge, [document]);
    const name = 'nul\ufffdhalf\ufffd';
    expect(await knowledge.document('odd')).toMatchObject({ title: `Title of ${name}`, sourceId: `${name}.md` });
    expect(await knowledge.body('odd')).toBe(`Text of ${name}`);
    expect((await knowledge.chunks('odd'))[0]).toMatchObject({ text: `${name} zero` });
    expect((await knowledge.postings([segment], [document.sourceId])).rows).toMatchObject([{ term: `${name}.md` }]);
  });

  async function leftOver(): Promise<unknown[]> {
    return leftOverRows(stores.db);
  }
});
