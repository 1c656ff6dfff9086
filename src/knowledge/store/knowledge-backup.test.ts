import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { syncReport } from '../../../test/support/knowledge/sync-report.ts';
import {
  countKnowledgeRows,
  leftOverRows,
  numberBytes,
  publishDocuments,
  testDocument,
  writeSegment,
} from '../../../test/support/knowledge/test-knowledge.ts';
import { backupStore, restoreStore } from '../../store/backup.ts';
import type { KnowledgeStore } from './knowledge-store.ts';

let folder: string;
let stores: TestStores;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-knowledge-backup-'));
});
afterEach(async () => {
  await stores.remove();
  await rm(folder, { recursive: true, force: true });
});

describe.each(databaseKinds)('a backup of the knowledge base in %s', (kind) => {
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });

  it.each(databaseKinds)('contains everything, and restores into an empty %s', async (targetKind) => {
    await fill(stores.store.knowledge);
    const saved = await contentOf(stores.store.knowledge);
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: stores.db, file });
    const target = await openTestStores(targetKind);
    expect(await restoreStore({ db: target.db, file })).toEqual({ keptFile: null });
    expect(await contentOf(target.store.knowledge)).toEqual(saved);
    expect(await countKnowledgeRows(target.db)).toEqual(await countKnowledgeRows(stores.db));

    // Documents added later get new numbers.
    const before = await target.store.knowledge.segments();
    const next = await publishDocuments(target.store.knowledge, [testDocument('after')]);
    expect(before.segments.map((each) => each.id)).not.toContain(next.segment);
    expect(await target.store.knowledge.items('filesystem:docs')).toHaveProperty('size', 402);
    await target.remove();
  });

  it('processes that have the database open see a restore, even in the middle of a sync', async () => {
    const { store, other, db } = stores;
    await fill(store.knowledge);
    const saved = await contentOf(store.knowledge);
    const file = join(folder, 'zoo.backup');
    await backupStore({ db, file });
    const known = await other.knowledge.segments();
    await publishDocuments(store.knowledge, [testDocument('later'), testDocument('doc 1', { version: 'later' })]);
    const running = await writeSegment(store.knowledge, [testDocument('running')]);
    const lease = await store.knowledge.sources.take('filesystem:docs');
    const vectorsBefore = await other.knowledge.vectors.revision('m');
    let reports = 0;
    const stop = other.knowledge.watch(() => {
      reports += 1;
    });
    await vi.waitFor(async () => expect((await other.knowledge.segments()).segments.length).toBe(3));
    const replaced = await other.knowledge.segments();
    await expect(restoreStore({ db, file })).rejects.toMatchObject({ code: 'CONFLICT' });
    const seen = reports;

    const { keptFile } = await restoreStore({ db, file, force: true });
    await vi.waitFor(() => expect(reports).toBeGreaterThan(seen));
    stop();
    // The sync in the middle still runs, and fails when it publishes.
    const { states, ...content } = await contentOf(other.knowledge);
    expect(content).toEqual({ ...saved, states: undefined });
    expect(states.filter(({ isSyncing }) => !isSyncing)).toEqual(saved.states);
    expect(states.filter(({ isSyncing }) => isSyncing)).toMatchObject([{ source: 'filesystem:docs' }]);
    const restored = await other.knowledge.segments();
    expect(restored.revision).toBeGreaterThan(replaced.revision);
    expect(await other.knowledge.vectors.revision('m')).toBeGreaterThan(vectorsBefore);
    // What a process remembers of a segment is never taken for another one.
    const used = new Set([...known.segments, ...replaced.segments].map((each) => each.id));
    for (const { id } of restored.segments) expect(used).not.toContain(id);
    await expect(store.knowledge.publish(running)).rejects.toMatchObject({ code: 'CONFLICT' });
    await lease.release();
    const next = await store.knowledge.openSegment(1);
    expect(next.firstDocNo).toBeGreaterThan(running.firstDocNo);

    stores.clock.time += 10_000;
    await store.knowledge.discardOpenSegments(stores.clock.time);
    expect(await leftOverRows(db)).toEqual([]);
    if (keptFile !== null) await rm(keptFile);
  });

  it('a restore also asks before it replaces only a knowledge base', async () => {
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: stores.db, file });
    const createdAt = stores.clock.time;
    await stores.store.knowledge.sources.add({
      source: 'git:a',
      type: 'git',
      name: 'a',
      settings: {},
      createdAt,
    });
    await expect(restoreStore({ db: stores.db, file })).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

async function fill(knowledge: KnowledgeStore): Promise<void> {
  const names = Array.from({ length: 402 }, (_, index) => `doc ${index}`);
  await publishDocuments(
    knowledge,
    names.map((name) => testDocument(name)),
  );
  const terms = Array.from({ length: 1500 }, (_, index) => `t\u{1f600}${index}`).sort();
  const second = await writeSegment(
    knowledge,
    [testDocument('doc 0', { version: '2' })],
    terms.map((term, index) => ({ term, data: numberBytes(index / 3) })),
  );
  await knowledge.publish(second);
  await knowledge.removeDocuments(['filesystem:docs/doc 401']);
  await knowledge.touchDocuments([{ id: 'filesystem:docs/doc 7', version: 'touched', updatedAt: 77 }]);
  // A sync that was running.
  await writeSegment(knowledge, [testDocument('unfinished')]);
  const hashes = testDocument('doc 5').pieces.map((piece) => piece.hash);
  await knowledge.vectors.save(
    'm',
    hashes.map((hash, index) => ({ hash, vector: new Float32Array([index / 3, -1e-30, 3e30]) })),
  );
  const createdAt = 1_794_000_000_000;
  await knowledge.sources.add({ source: 'git:a', type: 'git', name: 'a', settings: { url: 'x' }, createdAt });
  await knowledge.sources.saveState('git:a', {
    startedAt: 1,
    finishedAt: 2,
    outcome: 'complete',
    message: null,
    report: syncReport({ added: 3 }),
  });
}

/** All but the numbers of segments, which a restore changes. */
async function contentOf(knowledge: KnowledgeStore) {
  const { segments, removed, touched } = await knowledge.segments();
  const ids = segments.map((each) => each.id);
  const rows = [];
  for (let after: string | null = null; ; ) {
    const page = await knowledge.postingsPage(ids, after, 700);
    if (page.length === 0) break;
    rows.push(
      ...page.map(({ segment, term, data }) => [ids.indexOf(segment), term, Buffer.from(data).toString('hex')]),
    );
    after = page.at(-1)?.term ?? null;
  }
  const vectors = [];
  for await (const page of knowledge.vectors.all('m')) vectors.push(...page);
  const { documents } = await knowledge.documents({ limit: 1000 });
  return {
    chunks: segments.map((each) => each.chunks),
    headers: await Promise.all(ids.map((id) => knowledge.segmentHeader(id))),
    removed,
    touched,
    rows,
    vectors,
    documents,
    items: await knowledge.items('filesystem:docs'),
    body: await knowledge.body('filesystem:docs/doc 0'),
    pieces: await knowledge.chunks('filesystem:docs/doc 0'),
    sources: await knowledge.sources.list(),
    states: await knowledge.sources.states(),
    stats: await knowledge.stats(),
  };
}
