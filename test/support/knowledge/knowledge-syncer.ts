import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { filesystemConnector } from '../../../src/connectors/filesystem/filesystem.ts';
import { createIndexer } from '../../../src/knowledge/index/indexer.ts';
import type { KnowledgeStore } from '../../../src/knowledge/store/knowledge-store.ts';
import { syncSource } from '../../../src/knowledge/sync/sync-source.ts';
import { openStore } from '../../../src/store/open-store.ts';

/**
 * A process that syncs a folder: `node knowledge-syncer.ts DB_JSON ROOT`. It prints a line before every database step, so
 * that a test can kill it at any of them, and finally the report.
 */
const [db = '', root = ''] = process.argv.slice(2);
const store = await openStore({ db: JSON.parse(db), clock: systemClock, logger: silentLogger });
const indexer = createIndexer({ logger: silentLogger });
const connector = filesystemConnector({
  name: 'proof',
  root,
  follow_symlinks: false,
  max_extract_bytes: 1_000_000,
  tags: [],
  takes: (name) => name.endsWith('.md'),
});
const parts = { store: told(store.knowledge), indexer, clock: systemClock, logger: silentLogger };
const report = await syncSource({ ...parts, chunking: { maxTokens: 200, overlapTokens: 20 } }, connector);
writeSync(1, `${JSON.stringify(report)}\n`);
await indexer.close();
await store.close();

function told(knowledge: KnowledgeStore): KnowledgeStore {
  return new Proxy(knowledge, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        writeSync(1, `${String(name)}\n`);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
