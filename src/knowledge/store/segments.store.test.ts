import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import {
  bytesNumber,
  countKnowledgeRows,
  leftOverRows,
  numberBytes,
  publishDocuments,
  testDocument,
  writeSegment,
} from '../../../test/support/knowledge/test-knowledge.ts';
import { silentLogger } from '../../base/logger.ts';
import { openDatabase } from '../../store/open-store.ts';
import type { KnowledgeStore, Postings, SegmentPostings } from './knowledge-store.ts';

describe.each(databaseKinds)('index segments in %s', (kind) => {
  let stores: TestStores;
  let knowledge: KnowledgeStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    knowledge = stores.store.knowledge;
  });
  afterAll(() => stores.remove());

  it('no process reuses numbers', async () => {
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? stores.other : stores.store).knowledge.openSegment(3)),
    );
    expect(new Set(opened.map((each) => each.segment)).size).toBe(20);
    const numbers = opened.map((each) => each.firstDocNo).sort((one, other) => one - other);
    for (const [index, number] of numbers.entries()) {
      expect(number - (numbers[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(3);
    }
    await knowledge.discardOpenSegments(stores.clock.time + 1);
    const next = await knowledge.openSegment(1);
    expect(next.firstDocNo).toBeGreaterThan(Math.max(...numbers));
    expect(next.segment).toBeGreaterThan(Math.max(...opened.map((each) => each.segment)));
  });

  it('postings survive a round trip, for any term', async () => {
    const postings: Postings[] = ['%', "'", '[', '\\', '"x"', 'a_b', 'café', '日本', '😀', '\ue000', 'é'].map(
      (term) => ({
        term,
        data: randomBytes(300),
      }),
    );
    postings.push({ term: 'empty', data: new Uint8Array(0) });
    postings.push({ term: 'every byte', data: Uint8Array.from({ length: 256 }, (_, index) => index) });
    postings.push({ term: 'long', data: randomBytes(1_000_000) });
    const one = await writeSegment(knowledge, [], postings);
    const other = await writeSegment(knowledge, [], [{ term: 'café', data: numberBytes(2) }]);
    await knowledge.publish(one);
    await knowledge.publish(other);
    const terms = [...postings.map((each) => each.term), 'absent'];
    const found = await stores.other.knowledge.postings([one.segment, other.segment, 999_999], terms);
    expect(found.rows).toHaveLength(postings.length + 1);
    for (const { term, data } of postings) {
      const row = found.rows.find((each) => each.segment === one.segment && each.term === term);
      expect(Buffer.compare(row?.data ?? new Uint8Array(), data), term).toBe(0);
    }
    const second = await knowledge.postings([other.segment], ['café', 'é']);
    expect(second.rows).toEqual([{ segment: other.segment, term: 'café', data: numberBytes(2) }]);
    expect(second.revision).toBe((await knowledge.segments()).revision);
    expect(await knowledge.postings([], ['café'])).toEqual({ revision: second.revision, rows: [] });
    expect(await knowledge.postings([one.segment], [])).toEqual({ revision: second.revision, rows: [] });
  });

  it('pages for a merge cover all terms in byte order', async () => {
    // The order of JavaScript's own sort is another one: 😀 stands before \ue000 there.
    const terms = ['Z', 'a', 'aa', 'ab', 'b', 'ä', '\ue000', '\uffee', '😀', '😁'];
    const one = await writeSegment(knowledge, [], toPostings(terms));
    const two = await writeSegment(knowledge, [], toPostings(terms.filter((_, index) => index % 3 === 0)));
    const segments = [one.segment, two.segment];
    for (const size of [1, 3, 4, 100]) {
      const pages: SegmentPostings[][] = [];
      let after: string | null = null;
      for (;;) {
        const page: SegmentPostings[] = await knowledge.postingsPage(segments, after, size);
        if (page.length === 0) break;
        pages.push(page);
        after = page.at(-1)?.term ?? null;
      }
      for (const page of pages) expect(new Set(page.map((row) => row.term)).size).toBeLessThanOrEqual(size);
      expect(pages).toHaveLength(Math.ceil(terms.length / size));
      expect(pages.flat().map((row) => `${row.term} ${row.segment}`)).toEqual(
        terms.flatMap((term, index) => (index % 3 === 0 ? segments : [one.segment]).map((each) => `${term} ${each}`)),
      );
    }
    expect(await knowledge.postingsPage([two.segment], '\ue000', 1)).toMatchObject([{ term: '😁' }]);
  });

  it('a merge replaces its segments and drops removed documents', async () => {
    const source = 'filesystem:merged';
    const parts = [];
    for (const name of ['a', 'b', 'c']) parts.push(await publishDocuments(knowledge, [testDocument(name, { source })]));
    const [a, b, c] = parts;
    if (!a || !b || !c) throw new Error('The segments are there.');
    await knowledge.removeDocuments([`${source}/b`]);
    const before = await knowledge.segments();
    const merged = await writeSegment(knowledge, [], toPostings(['a.md', 'c.md']));
    // After the merge was written: its number must stay.
    await stores.other.knowledge.removeDocuments([`${source}/c`]);
    const replaces = { segments: parts.map((part) => part.segment), droppedDocNos: [b.firstDocNo] };
    await knowledge.publish({ ...merged, chunks: 6, replaces });
    const after = await stores.other.knowledge.segments();
    expect(after.segments.filter(({ id }) => !before.segments.some((each) => each.id === id))).toEqual([
      { id: merged.segment, chunks: 6 },
    ]);
    expect(after.segments.map((each) => each.id)).not.toContain(a.segment);
    expect(after.removed).toContain(c.firstDocNo);
    expect(after.removed).not.toContain(b.firstDocNo);
    expect(await knowledge.segmentHeader(a.segment)).toBeUndefined();
    expect((await knowledge.postings(replaces.segments, ['a.md', 'c.md'])).rows).toEqual([]);
    expect(await knowledge.passages([{ docNo: a.firstDocNo, ordinal: 1 }])).toHaveLength(1);

    const late = await writeSegment(knowledge, []);
    const attempt = knowledge.publish({
      ...late,
      replaces: { segments: [merged.segment, a.segment], droppedDocNos: [] },
    });
    await expect(attempt).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(`${a.segment}`) });
    expect(await knowledge.segments()).toEqual(after);
    await expect(knowledge.publish(merged)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(knowledge.addPostings(merged.segment, toPostings(['x']))).rejects.toMatchObject({ code: 'CONFLICT' });
    await discardAll();
    expect(await leftOverRows(stores.db)).toEqual([]);
  });

  it('an open segment of a killed process is discarded with all its rows', async () => {
    await discardAll();
    const before = await countKnowledgeRows(stores.db);
    const names = Array.from({ length: 120 }, (_, index) => `lost ${index}`);
    const many = toPostings(Array.from({ length: 2500 }, (_, index) => `t${String(index).padStart(5, '0')}`));
    const lost = await writeSegment(
      knowledge,
      names.map((name) => testDocument(name)),
      many,
    );
    stores.clock.time += 1000;
    const running = await writeSegment(knowledge, [testDocument('running')]);
    expect(await stores.other.knowledge.discardOpenSegments(stores.clock.time)).toBe(1);
    const attempts = await Promise.allSettled([
      knowledge.addPostings(lost.segment, toPostings(['zz'])),
      knowledge.addDocuments(lost.segment, [{ docNo: lost.firstDocNo, body: '', chunks: [] }]),
      knowledge.publish(lost),
    ]);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'CONFLICT' }) };
    expect(attempts).toEqual([refused, refused, refused]);
    await knowledge.addPostings(running.segment, toPostings(['zz']));
    expect(await countKnowledgeRows(stores.db)).toEqual({
      ...before,
      segments: (before.segments ?? 0) + 1,
      texts: (before.texts ?? 0) + 1,
      chunks: (before.chunks ?? 0) + 3,
      postings: (before.postings ?? 0) + 2,
    });
    stores.clock.time += 1000;
    expect(await knowledge.discardOpenSegments(stores.clock.time)).toBe(1);
    expect(await knowledge.discardOpenSegments(stores.clock.time)).toBe(0);
    expect(await countKnowledgeRows(stores.db)).toEqual(before);
    expect(await leftOverRows(stores.db)).toEqual([]);
  });

  it('an interrupted deletion is finished by the next one', async () => {
    const terms = Array.from({ length: 1200 }, (_, index) => `t${String(index).padStart(5, '0')}`);
    const replaced = await writeSegment(knowledge, [testDocument('stays')], toPostings(terms));
    await knowledge.publish(replaced);
    const before = await countKnowledgeRows(stores.db);
    // As a merge leaves it that was killed after its publication, with half of the rows deleted.
    const database = await openDatabase(stores.db, silentLogger);
    await database.write(async ({ db }) => {
      const dead = { state: 'dead', documents: 0, header: null } as const;
      await db.updateTable('knowledge_segments').set(dead).where('id', '=', replaced.segment).execute();
      await db
        .deleteFrom('knowledge_postings')
        .where('segment', '=', replaced.segment)
        .where('term', '<', 't00600')
        .execute();
    });
    await database.close();
    expect(await knowledge.discardOpenSegments(0)).toBe(0);
    expect(await countKnowledgeRows(stores.db)).toEqual({
      ...before,
      segments: (before.segments ?? 0) - 1,
      postings: (before.postings ?? 0) - 1201,
    });
    expect(await knowledge.body('filesystem:docs/stays')).toBe('Text of stays');
    expect(await leftOverRows(stores.db)).toEqual([]);
  });

  it('rows and revision are one snapshot while another process publishes and merges', async () => {
    const other = stores.other.knowledge;
    const terms = Array.from({ length: 30 }, (_, index) => `snapshot ${String(index).padStart(2, '0')}`);
    let last = await publishNumber(0, terms);
    for (let round = 1; round <= 20; round += 1) {
      const list = await knowledge.segments();
      const ids = list.segments.map((each) => each.id);
      const merged = await writeSegment(
        other,
        [],
        terms.map((term) => ({ term, data: numberBytes(round) })),
      );
      const reading = Array.from({ length: 6 }, async (_, turns) => {
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
        return knowledge.postings(ids, terms);
      });
      const replaces = { segments: [last], droppedDocNos: [] };
      const [, ...found] = await Promise.all([other.publish({ ...merged, replaces }), ...reading]);
      for (const { revision, rows } of [...found, await knowledge.postings(ids, terms)]) {
        if (revision === list.revision) {
          expect(rows.map((row) => bytesNumber(row.data))).toEqual(terms.map(() => round - 1));
        } else {
          expect(revision).toBe(list.revision + 1);
        }
      }
      expect((await knowledge.postings(ids, terms)).revision).toBe(list.revision + 1);
      last = merged.segment;
    }
  });

  async function publishNumber(value: number, terms: readonly string[]): Promise<number> {
    const segment = await writeSegment(
      knowledge,
      [],
      terms.map((term) => ({ term, data: numberBytes(value) })),
    );
    await knowledge.publish(segment);
    return segment.segment;
  }

  async function discardAll(): Promise<void> {
    stores.clock.time += 1;
    await knowledge.discardOpenSegments(stores.clock.time);
  }
});

function toPostings(terms: readonly string[]): Postings[] {
  return terms.map((term) => ({ term, data: numberBytes(term.length) }));
}
