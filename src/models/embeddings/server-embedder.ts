import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { EmbeddingServer } from './embedding-servers.ts';
import type { OpenedEmbedder } from './embedding-settings.ts';
import { cancelled, requestVectors, type VectorReply } from './request-vectors.ts';

export interface ServerEmbedderSettings {
  batchSize: number;
  maxRetries: number;
  timeoutMs: number;
}

/** The longest wait before a retry: somebody waits for a query, documents have time. */
const maxWaitMs = { query: 2_000, document: 60_000 };
const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** If the server rejects a text this short as too long, its length is not the problem. */
const minTextLength = 64;

export function openServerEmbedder(
  server: EmbeddingServer,
  settings: ServerEmbedderSettings,
  { clock, logger }: { clock: Clock; logger: Logger },
): OpenedEmbedder {
  const closing = new AbortController();
  let dims = server.dims ?? 0;

  return {
    key: keyOf(server),
    model: server.model,
    get dims() {
      return dims;
    },
    batchSize: settings.batchSize,
    async embed(texts, { signal, purpose, batchSize = settings.batchSize }) {
      if (server.unready) throw server.unready;
      const options = { purpose, signal: AbortSignal.any([signal, closing.signal]) };
      const prefix = textPrefix(server.model, purpose);
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        const batch = texts.slice(start, start + batchSize).map((text) => prefix + text.toWellFormed());
        for (const vector of await embedBatch(batch, options)) vectors.push(checkDims(vector));
      }
      return vectors;
    },
    async close() {
      closing.abort(new HubError('CANCELLED', 'The embedder is closed.'));
    },
  };

  /** Halves the batch until the server accepts it; cuts a single text that is too long. */
  async function embedBatch(texts: readonly string[], options: AskOptions): Promise<Float32Array[]> {
    const answer = await askWithRetries(texts, options);
    if (answer.kind === 'vectors') return answer.vectors;
    const [text = ''] = texts;
    if (texts.length === 1) {
      if (text.length <= minTextLength) throw answer.error;
      logger.debug({ characters: text.length }, 'a text is too long for the embedding model and is cut');
      return embedBatch([text.slice(0, text.length >> 1).toWellFormed()], options);
    }
    const half = Math.ceil(texts.length / 2);
    const first = await embedBatch(texts.slice(0, half), options);
    return [...first, ...(await embedBatch(texts.slice(half), options))];
  }

  async function askWithRetries(
    texts: readonly string[],
    { signal, purpose }: AskOptions,
  ): Promise<Exclude<VectorReply, { kind: 'busy' }>> {
    for (let attempt = 0; ; attempt += 1) {
      if (signal.aborted) throw cancelled(signal);
      const answer = await requestVectors(server, texts, { signal, timeoutMs: settings.timeoutMs, clock });
      if (answer.kind !== 'busy') return answer;
      const wait = delayBefore(attempt, answer.waitMs);
      if (attempt >= settings.maxRetries || wait > maxWaitMs[purpose]) throw answer.error;
      logger.debug({ attempt: attempt + 1, wait }, `${answer.error.message} Trying again.`);
      await clock.sleep(wait, signal).catch((error: unknown) => {
        throw signal.aborted ? cancelled(signal) : error;
      });
    }
  }

  function checkDims(vector: Float32Array): Float32Array {
    if (dims === 0) dims = vector.length;
    if (vector.length === dims) return vector;
    const what = `The model "${server.model}" of ${server.location} returns vectors of ${vector.length} dimensions, not ${dims}.`;
    throw new HubError('INVALID_CONFIG', `${what} Set [embedding] dims = ${vector.length}, or choose another model.`);
  }
}

interface AskOptions {
  signal: AbortSignal;
  purpose: 'query' | 'document';
}

/** Grows with each attempt, with jitter. */
function delayBefore(attempt: number, waitMs: number | undefined): number {
  if (waitMs !== undefined) return waitMs + Math.random() * 250;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** attempt) * (0.75 + Math.random() / 2);
}

function keyOf({ provider, model, dims, host }: EmbeddingServer): string {
  const parts = [
    provider,
    model,
    ...(dims === undefined ? [] : [dims]),
    ...(provider === 'openai-compatible' ? [host] : []),
  ];
  return parts.join('/');
}

/**
 * Some models were trained with a prefix that marks a text as a query or a document, and find less without it. The model is matched by
 * the beginning of its name, without the part before a slash.
 */
const prefixes: readonly { model: RegExp; query: string; document: string }[] = [
  { model: /^nomic-embed-text/, query: 'search_query: ', document: 'search_document: ' },
  { model: /^(multilingual-)?e5-/, query: 'query: ', document: 'passage: ' },
  { model: /^snowflake-arctic-embed2/, query: 'query: ', document: '' },
  {
    model: /^(mxbai-embed-large|snowflake-arctic-embed|bge-(small|base|large)-en)/,
    query: 'Represent this sentence for searching relevant passages: ',
    document: '',
  },
];

function textPrefix(model: string, purpose: 'query' | 'document'): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return prefixes.find((each) => each.model.test(name))?.[purpose] ?? '';
}
