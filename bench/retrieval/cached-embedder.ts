import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '../../src/base/logger.ts';
import type { Embedder } from '../../src/knowledge/embedder.ts';
import { openLocalEmbedder } from '../../src/models/embeddings/local-embedder.ts';

const cacheFolder = resolve(import.meta.dirname, '..', '..', '.cache');
const threads = 2;

/** The local model with a cache on disk, so that each text is embedded only once over all runs. */
export function openCachedEmbedder(): Embedder & { close(): Promise<void> } {
  mkdirSync(cacheFolder, { recursive: true });
  const cache = new DatabaseSync(join(cacheFolder, 'bench-vectors.sqlite'));
  // Losing it costs minutes, not data.
  cache.exec(
    'pragma synchronous = off; create table if not exists vectors (hash text primary key, vector blob not null)',
  );
  const read = cache.prepare('select vector from vectors where hash = ?');
  const write = cache.prepare('insert or replace into vectors values (?, ?)');
  const models = Array.from({ length: threads }, () => openLocalEmbedder({ batchSize: 16 }, { logger: silentLogger }));
  const { key, dims, batchSize } = models[0] as Embedder;
  const hashOf = (text: string, purpose: string) =>
    createHash('sha256')
      .update(JSON.stringify([key, purpose, text]))
      .digest('hex');

  return {
    key,
    dims,
    batchSize,
    async embed(texts, options) {
      const hashes = texts.map((text) => hashOf(text, options.purpose));
      const missing = texts.filter((_, index) => !read.get(hashes[index] ?? ''));
      await Promise.all(
        models.map(async (model, turn) => {
          const own = missing.filter((_, index) => index % threads === turn);
          const vectors = await model.embed(own, options);
          for (const [index, vector] of vectors.entries())
            write.run(
              hashOf(own[index] ?? '', options.purpose),
              new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
            );
        }),
      );
      return hashes.map((hash) => {
        const bytes = Uint8Array.from(read.get(hash)?.vector as Uint8Array);
        return new Float32Array(bytes.buffer);
      });
    },
    async close() {
      await Promise.all(models.map((model) => model.close?.()));
      cache.close();
    },
  };
}
