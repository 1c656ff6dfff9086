import { fork } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { systemClock } from '../src/base/clock.ts';
import { HubError } from '../src/base/hub-error.ts';
import { silentLogger } from '../src/base/logger.ts';
import type { Embedder } from '../src/knowledge/embedder.ts';
import { createSemanticSearch } from '../src/knowledge/search/semantic-search.ts';
import { openDatabase, openStore } from '../src/store/open-store.ts';

/**
 * `npx node bench/pgvector.ts postgres://…`: what a process costs that compares 200,000 vectors itself, and one that lets
 * PostgreSQL do it. Needs an empty database on a server with pgvector.
 */
const [url, index] = process.argv.slice(2);
const [documents, chunksOfDocument, dims, queries] = [2_000, 100, 384, 40];
const model = 'bench';
const limit = 80;

if (!url) throw new Error('Name an empty database on a server with pgvector: postgres://user:password@host/name');
if (index === 'memory' || index === 'pgvector') process.send?.(await measure(url, index));
else await compare(url);

interface Measured {
  rssMb: number;
  firstMs: number;
  p50: number;
  p95: number;
  found: string[];
}

async function compare(address: string): Promise<void> {
  await fill(address);
  // The first process that uses pgvector copies all vectors. Measured apart, because it happens once per database.
  const copied = await measureInProcess(address, 'pgvector');
  process.stdout.write(`all vectors copied, and the first search: ${(copied.firstMs / 1_000).toFixed(1)} s\n`);
  const [memory, near] = [await measureInProcess(address, 'memory'), await measureInProcess(address, 'pgvector')];
  for (const [name, measured] of Object.entries({ memory, pgvector: near })) {
    const { rssMb, firstMs, p50, p95 } = measured;
    const times = `first ${firstMs.toFixed(0)} ms, then p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;
    process.stdout.write(`${name.padEnd(9)} ${rssMb.toFixed(0)} MB resident, ${times}\n`);
  }
  const same = memory.found.filter((each, at) => each === near.found[at]).length;
  process.stdout.write(`${same} of ${queries} searches have the same ${limit} passages in the same order\n`);
}

function measureInProcess(address: string, which: string): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [address, which]);
    child.once('message', (message) => resolve(message as Measured));
    child.once('exit', (code) => reject(new Error(`the measuring process ended with ${code}`)));
  });
}

async function measure(address: string, which: 'memory' | 'pgvector'): Promise<Measured> {
  const store = await openStore({ db: { url: address }, clock: systemClock, logger: silentLogger });
  const random = randomNumbers(99);
  const embedder: Embedder = { key: model, dims, batchSize: 1, embed: async () => [unit(random)] };
  const search = createSemanticSearch({ store: store.knowledge, embedder, index: which, logger: silentLogger });
  const { signal } = new AbortController();
  const times: number[] = [];
  const found: string[] = [];
  for (let query = 0; query <= queries; query += 1) {
    const began = performance.now();
    const nearest = await findOnceCopied(() => search.find(`query ${query}`, { limit, allows: () => true, signal }));
    times.push(performance.now() - began);
    found.push(nearest.map(({ docNo, ordinal }) => `${docNo}/${ordinal}`).join(' '));
  }
  const [firstMs = 0, ...rest] = times;
  rest.sort((left, right) => left - right);
  const at = (share: number) => rest[Math.floor(rest.length * share)] ?? 0;
  await store.close();
  globalThis.gc?.();
  const rssMb = process.memoryUsage.rss() / 1_048_576;
  return { rssMb, firstMs, p50: at(0.5), p95: at(0.95), found: found.slice(1) };
}

/** Repeats a search until the vectors are copied: until then, searches by meaning fail at once. */
async function findOnceCopied<T>(find: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'UNAVAILABLE') throw error;
      await setTimeout(100);
    }
  }
}

async function fill(address: string): Promise<void> {
  const database = await openDatabase({ url: address }, silentLogger);
  await database.write(
    async ({ db }) => {
      await sql`insert into knowledge_documents (id, doc_no, source, source_id, folded, title, content_type, hash, version,
          updated_at, indexed_at, touched, tags, metadata, chunks, size)
        select 'd' || n, n, 'filesystem:docs', n || '.md', '', 'Document ' || n, 'text/plain', 'h', 'v', 0, 0, 0, '[]', '{}',
          ${sql.lit(chunksOfDocument)}, 0 from generate_series(1, ${sql.lit(documents)}) as n`.execute(db);
      await sql`insert into knowledge_chunks (doc_no, ordinal, hash, start_line, end_line, tokens, heading, text)
        select n, k, md5(n || '/' || k), 1, 1, 1, '[]', '' from generate_series(1, ${sql.lit(documents)}) as n,
          generate_series(0, ${sql.lit(chunksOfDocument - 1)}) as k`.execute(db);
    },
    { isJob: true },
  );
  const { rows } = await database.read((db) => sql<{ hash: string }>`select hash from knowledge_chunks`.execute(db));
  await database.close();
  const store = await openStore({ db: { url: address }, clock: systemClock, logger: silentLogger });
  const random = randomNumbers(1);
  for (let start = 0; start < rows.length; start += 1_000) {
    const page = rows.slice(start, start + 1_000).map(({ hash }) => ({ hash, vector: unit(random) }));
    await store.knowledge.vectors.save(model, page);
  }
  await store.close();
}

function unit(random: () => number): Float32Array {
  const values = new Float32Array(dims).map(() => random() + random() + random() - 1.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

/** Gives the same numbers every time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
