import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { publishDocuments, testDocument, writeSegment } from '../../../test/support/knowledge/test-knowledge.ts';
import { startEmbeddingServer, type TestEmbeddingServer } from '../../../test/support/models/embedding-server.ts';
import { silentLogger } from '../../base/logger.ts';
import { openEmbedder } from '../../models/embeddings/open-embedder.ts';
import type { Embedder } from '../embedder.ts';
import type { EmbedProgress } from '../knowledge.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { embedPending } from './embed-pending.ts';

describe.each(usualDatabaseKinds)('embedding pending passages in %s', (kind) => {
  let stores: TestStores;
  let store: KnowledgeStore;
  let server: TestEmbeddingServer;
  beforeEach(async () => {
    [stores, server] = await Promise.all([openTestStores(kind), startEmbeddingServer()]);
    store = stores.store.knowledge;
  });
  afterEach(() => Promise.all([stores.remove(), server.close()]));

  const open = (model = 'm', batchSize = 4): Embedder => {
    const embedder = openEmbedder(
      { provider: 'openai-compatible', model, url: server.url, batchSize, maxRetries: 2, timeoutMs: 30_000 },
      { env: () => undefined, clock: stores.clock, logger: silentLogger },
    );
    if (!embedder) throw new Error('disabled');
    return embedder;
  };
  const embed = (embedder: Embedder, options: Parameters<typeof embedPending>[1] = {}) =>
    embedPending({ store, embedder, clock: stores.clock, logger: silentLogger }, options);

  it('embeds every passage once, in batches, with its title and headings', async () => {
    await publishDocuments(store, [testDocument('a'), testDocument('b'), testDocument('c')]);
    const seen: EmbedProgress[] = [];
    const embedder = open();
    expect(await embed(embedder, { onProgress: (progress) => seen.push(progress) })).toEqual({
      embedded: 9,
      pending: 0,
    });
    expect(seen).toEqual([
      { embedded: 0, pending: 9 },
      { embedded: 4, pending: 5 },
      { embedded: 8, pending: 1 },
      { embedded: 9, pending: 0 },
    ]);
    expect(server.requests.map(({ texts }) => texts.length)).toEqual([4, 4, 1]);
    expect(new Set(server.texts()).size).toBe(9);
    expect(server.texts()).toContain('Title of b\nb › one\nb one');
    expect(await store.vectors.count(embedder.key)).toBe(9);
    expect(await embed(embedder)).toEqual({ embedded: 0, pending: 0 });
    expect(server.requests).toHaveLength(3);
  });

  it('embeds only passages whose text changed, and nothing after a rename', async () => {
    const before = testDocument('a');
    await publishDocuments(store, [before, testDocument('b')]);
    const embedder = open();
    await embed(embedder);
    server.requests.length = 0;

    const pieces = before.pieces.map((piece) =>
      piece.ordinal === 1 ? { ...piece, text: 'new words', hash: hashOf('new words') } : piece,
    );
    await publishDocuments(store, [{ ...before, pieces, version: 'v2' }]);
    expect(await embed(embedder)).toEqual({ embedded: 1, pending: 0 });
    expect(server.texts()).toEqual(['Title of a\na › one\nnew words']);
    // Deleting the text also deleted its vector.
    expect(await store.vectors.count(embedder.key)).toBe(6);
    server.requests.length = 0;

    const moved = { ...testDocument('b'), id: 'filesystem:docs/elsewhere', sourceId: 'elsewhere.md' };
    const segment = await writeSegment(store, [moved]);
    await store.publish({ ...segment, removedIds: [testDocument('b').id] });
    expect(await embed(embedder)).toEqual({ embedded: 0, pending: 0 });
    expect(server.requests).toEqual([]);
    expect(await visible(store, embedder)).toBe(6);
  });

  it('keeps finished batches when a later one fails, and continues from there', async () => {
    await publishDocuments(store, [testDocument('a'), testDocument('b'), testDocument('c')]);
    const embedder = open();
    server.script({ change: (vectors) => vectors }, { status: 401 });
    await expect(embed(embedder)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(await store.vectors.count(embedder.key)).toBe(4);

    const done = new Set(server.requests[0]?.texts);
    server.requests.length = 0;
    expect(await embed(embedder)).toEqual({ embedded: 5, pending: 0 });
    expect(server.texts().filter((text) => done.has(text))).toEqual([]);
  });

  it('another model gets its own vectors, and the old ones are deleted when all exist', async () => {
    await publishDocuments(store, [testDocument('a'), testDocument('b')]);
    const [old, next] = [open('old'), open('new')];
    await embed(old);
    server.script({ change: (vectors) => vectors }, { status: 404, body: { error: 'unloaded' } });
    await expect(embed(next)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect([await store.vectors.count(old.key), await store.vectors.count(next.key)]).toEqual([6, 4]);
    await embed(next);
    expect([await store.vectors.count(old.key), await store.vectors.count(next.key)]).toEqual([0, 6]);
  });

  it('a rebuild recreates every vector', async () => {
    await publishDocuments(store, [testDocument('a')]);
    const embedder = open();
    await embed(embedder);
    expect(await embed(embedder, { rebuild: true })).toEqual({ embedded: 3, pending: 0 });
    expect(server.texts()).toHaveLength(6);
    expect(await visible(store, embedder)).toBe(3);
  });

  it('ends with the signal and keeps saved vectors', async () => {
    await publishDocuments(store, [testDocument('a'), testDocument('b')]);
    const embedder = open();
    const controller = new AbortController();
    const onProgress = ({ embedded }: EmbedProgress) => {
      if (embedded === 4) controller.abort();
    };
    await expect(embed(embedder, { signal: controller.signal, onProgress })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(await store.vectors.count(embedder.key)).toBe(4);
    expect(server.requests).toHaveLength(1);
  });
});

async function visible(store: KnowledgeStore, embedder: Embedder): Promise<number> {
  let count = 0;
  for await (const page of store.vectors.all(embedder.key)) count += page.length;
  return count;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
