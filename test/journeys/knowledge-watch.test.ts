import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { filesystemConnector } from '../../src/connectors/filesystem/filesystem.ts';
import { createIndexer } from '../../src/knowledge/index/indexer.ts';
import { syncSource } from '../../src/knowledge/sync/sync-source.ts';
import { watchSources } from '../../src/knowledge/sync/watch-sources.ts';
import { openTestStores, type TestStores } from '../support/databases/test-store.ts';
import { checkKnowledge } from '../support/knowledge/knowledge-checks.ts';

let root: string;
let stores: TestStores;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'zoo-watch-'));
  stores = await openTestStores('sqlite');
});
afterEach(async () => {
  await stores.remove();
  await rm(root, { recursive: true, force: true });
});

it('a watched folder stays in sync until it is closed', async () => {
  await writeFile(join(root, 'a.md'), 'first');
  const indexer = createIndexer({ logger: silentLogger });
  const takes = (name: string) => name.endsWith('.md');
  const settings = { name: 'docs', root, follow_symlinks: false, max_extract_bytes: 1_000_000, tags: [], takes };
  const parts = { store: stores.store.knowledge, indexer, clock: systemClock, logger: silentLogger };
  const watch = watchSources({
    connectors: [filesystemConnector(settings)],
    sync: (connector) => syncSource({ ...parts, chunking: { maxTokens: 700, overlapTokens: 80 } }, connector),
    logger: silentLogger,
    clock: systemClock,
  });
  try {
    await expectDocuments({ 'a.md': 'first' });
    await writeFile(join(root, 'a.md'), 'second');
    await mkdir(join(root, 'deep'));
    await writeFile(join(root, 'deep/b.md'), 'new');
    await expectDocuments({ 'a.md': 'second', 'deep/b.md': 'new' });
    await rename(join(root, 'a.md'), join(root, 'deep/c.md'));
    await rm(join(root, 'deep/b.md'));
    await expectDocuments({ 'deep/c.md': 'second' });
  } finally {
    await watch.close();
    await indexer.close();
  }
  expect(await checkKnowledge(stores.db)).toMatchObject({ problems: [], documents: 1 });
});

async function expectDocuments(texts: Record<string, string>): Promise<void> {
  const { knowledge } = stores.other;
  await vi.waitFor(
    async () => {
      const { documents } = await knowledge.documents({ limit: 100 });
      const found = await Promise.all(documents.map(async ({ id, sourceId }) => [sourceId, await knowledge.body(id)]));
      expect(Object.fromEntries(found)).toEqual(texts);
    },
    { timeout: 30_000, interval: 50 },
  );
}
