import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/test-database.ts';
import { chunksOf, testDocument, writeSegment } from '../../test/support/test-knowledge.ts';
import { openTestStores, type TestStores } from '../../test/support/test-store.ts';

describe.each(databaseKinds)('the knowledge base in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('an empty one has nothing, and says so', async () => {
    const { knowledge } = stores.store;
    expect(knowledge.revision()).toBe(0);
    expect(await knowledge.segments()).toEqual({ revision: 0, segments: [], removed: [] });
    expect(await knowledge.postings([1, 2], ['a'])).toEqual({ revision: 0, rows: [] });
    expect(await knowledge.documents({ limit: 10 })).toEqual({ documents: [], cursor: null });
    expect(await knowledge.stats()).toEqual({ documents: 0, chunks: 0, size: 0, segments: 0, sources: [] });
    expect(await knowledge.passages([])).toEqual([]);
    expect(await knowledge.passages([{ docNo: 1, ordinal: 0 }])).toEqual([]);
    expect(await knowledge.postingsPage([], null, 10)).toEqual([]);
    expect(await knowledge.items('git:none')).toEqual(new Map());
  });

  it('nothing is visible before it is published, and everything afterwards', async () => {
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
    expect(await other.segments()).toEqual({
      revision: before.revision + 1,
      segments: [{ id: segment.segment, chunks: 3 }],
      removed: [],
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
    expect(await other.vectors.countPending('m')).toBe(3);
    expect(await other.stats()).toEqual({
      documents: 1,
      chunks: 3,
      size: 11,
      segments: 1,
      sources: [{ source: 'filesystem:first', documents: 1, chunks: 3, updatedAt: document.updatedAt }],
    });
  });
});
