import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  startEmbeddingServer,
  type TestEmbeddingServer,
  wordVector,
} from '../../../test/support/models/embedding-server.ts';
import type { Clock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { EmbeddingSettings, OpenedEmbedder } from './embedding-settings.ts';
import { openEmbedder } from './open-embedder.ts';

const key = 'sk-very-secret';
const { signal } = new AbortController();
const document = { signal, purpose: 'document' as const };
const query = { signal, purpose: 'query' as const };

let server: TestEmbeddingServer;
let waits: number[];
let clock: Clock;
beforeEach(async () => {
  server = await startEmbeddingServer();
  waits = [];
  clock = { now: () => Date.UTC(2026, 0, 1), sleep: async (milliseconds) => void waits.push(milliseconds) };
});
afterEach(() => server.close());

describe.each([
  {
    provider: 'openai',
    env: () => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${server.url}/v1` }),
    path: '/v1/embeddings',
    authorization: `Bearer ${key}`,
    model: 'text-embedding-3-small',
    dims: 16,
    key: () => 'openai/text-embedding-3-small/16',
    variable: 'OPENAI_API_KEY',
  },
  {
    provider: 'openai-compatible',
    env: () => ({ OPENAI_COMPATIBLE_BASE_URL: `${server.url}/api/v2/?tenant=7`, OPENAI_COMPATIBLE_API_KEY: key }),
    path: '/api/v2/embeddings?tenant=7',
    authorization: `Bearer ${key}`,
    model: 'some/model',
    dims: undefined,
    key: () => `openai-compatible/some/model/${server.host}`,
    variable: 'OPENAI_COMPATIBLE_API_KEY',
  },
  {
    provider: 'ollama',
    env: () => ({ OLLAMA_HOST: server.host }),
    path: '/api/embed',
    authorization: undefined,
    model: 'all-minilm',
    dims: 16,
    key: () => 'ollama/all-minilm/16',
    variable: 'OLLAMA_HOST',
  },
] as const)('embeddings of $provider', (each) => {
  const open = (settings: Partial<EmbeddingSettings> = {}) =>
    openWith({ provider: each.provider, model: each.model, dims: each.dims, ...settings }, each.env());

  it('are unit vectors in the order of the texts, requested in batches', async () => {
    const embedder = open({ batchSize: 2 });
    expect({ key: embedder.key, model: embedder.model }).toEqual({ key: each.key(), model: each.model });
    const texts = ['apple tree', 'apple pie', 'red bicycle wheels', 'a', 'apple tree'];
    const vectors = await embedder.embed(texts, document);
    expect(vectors.map(toNumbers)).toEqual(texts.map((text) => toNumbers(unit(wordVector(text, 16)))));
    expect(server.requests.map((request) => request.texts)).toEqual([
      ['apple tree', 'apple pie'],
      ['red bicycle wheels', 'a'],
      ['apple tree'],
    ]);
    expect(server.requests[0]).toMatchObject({
      path: each.path,
      authorization: each.authorization,
      body: { model: each.model },
    });
    expect(embedder.dims).toBe(16);
  });

  it('a busy server is retried after the time it names', async () => {
    server.script(
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': new Date(clock.now() + 11_000).toUTCString() } },
      { status: 429, headers: { 'retry-after-ms': '1500' } },
    );
    expect(await open().embed(['x'], document)).toHaveLength(1);
    expect(server.requests).toHaveLength(4);
    expect(waits.map((wait) => Math.floor(wait / 500) * 500)).toEqual([7_000, 11_000, 1_500]);
  });

  it('a failing server is retried with growing delays, and its message is reported', async () => {
    const failure = { status: 500, body: { error: { message: `the disk is full, said ${key}` } } };
    server.script(failure, 'drop', failure, failure);
    const failed = await failureOf(open({ maxRetries: 3 }).embed(['x'], document));
    expect(failed.code).toBe('TRANSIENT_ERROR');
    expect(failed.message).toContain('HTTP 500: the disk is full');
    if (each.authorization) expect(failed.message).not.toContain(key);
    expect(server.requests).toHaveLength(4);
    for (const [attempt, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(375 * 2 ** attempt);
      expect(wait).toBeLessThanOrEqual(625 * 2 ** attempt);
    }
    expect(waits).toHaveLength(3);
  });

  it('a server that does not reply times out', async () => {
    server.script('hang', 'hang');
    const failed = await failureOf(open({ timeoutMs: 40, maxRetries: 1 }).embed(['x'], document));
    expect(failed).toMatchObject({ code: 'TRANSIENT_ERROR', message: expect.stringContaining('within 0.04 s') });
    // On a busy machine, the timeout may pass before the server gets the request.
    expect(waits).toHaveLength(1);
  });

  it('a rejected key is not retried; the message names the variable and not the key', async () => {
    server.script({ status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } });
    const failed = await failureOf(open().embed(['x'], document));
    expect(failed).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining(each.variable) });
    expect(failed.message).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [
      'fewer vectors than texts',
      { change: (vectors: number[][]) => vectors.slice(1) },
      'UNAVAILABLE',
      '1 vectors for 2',
    ],
    ['values that are no numbers', { change: () => [['a'], [null]] }, 'UNAVAILABLE', 'invalid vector'],
    ['a web page', { status: 200, body: '<html>hello</html>' }, 'UNAVAILABLE', 'without embeddings'],
    ['a redirect', { status: 307, headers: { location: '/elsewhere' } }, 'UNAVAILABLE', 'cannot be reached'],
    ['an unknown model', { status: 404, body: { error: 'model not found' } }, 'INVALID_CONFIG', 'model not found. '],
  ])('%s instead of a valid reply is explained', async (_what, answer, code, words) => {
    server.script(answer);
    const failed = await failureOf(open({ maxRetries: 0 }).embed(['x', 'y'], document));
    expect(failed).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(failed.message).toContain(server.host);
  });

  it('vectors of another length than before are refused', async () => {
    const embedder = open();
    await embedder.embed(['x'], document);
    server.script({ change: () => [[1, 2, 3]] });
    const failed = await failureOf(embedder.embed(['y'], document));
    expect(failed).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining('3 dimensions, not 16') });
  });

  it('a cancelled request ends at once, even during a retry delay', async () => {
    const controller = new AbortController();
    server.script('hang');
    const hanging = failureOf(open().embed(['x'], { signal: controller.signal, purpose: 'document' }));
    await server.requested(1);
    controller.abort();
    expect(await hanging).toMatchObject({ code: 'CANCELLED' });

    const embedder = open();
    clock.sleep = (_milliseconds, stop) =>
      new Promise((_resolve, reject) => {
        stop?.addEventListener('abort', () => reject(stop.reason));
        void embedder.close?.();
      });
    server.script({ status: 500 });
    expect(await failureOf(embedder.embed(['x'], document))).toMatchObject({ code: 'CANCELLED' });
    expect(server.requests).toHaveLength(2);
  });

  it('nothing is sent before the first text, nor for none', async () => {
    expect(await open().embed([], document)).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

describe('a batch that is too large', () => {
  it('is sent in halves', async () => {
    const small = await startEmbeddingServer({ maxTexts: 3 });
    const embedder = openWith({ provider: 'openai-compatible', model: 'm', url: small.url, batchSize: 10 });
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`);
    const vectors = await embedder.embed(texts, document);
    expect(vectors.map(toNumbers)).toEqual(texts.map((text) => toNumbers(unit(wordVector(text, 16)))));
    expect(small.requests.map((request) => request.texts.length)).toEqual([10, 5, 3, 2, 5, 3, 2]);
    expect(small.requests[0]?.path).toBe('/v1/embeddings');
    await small.close();
  });

  it('is cut if it is one text; the others stay complete', async () => {
    const small = await startEmbeddingServer({ maxCharacters: 300 });
    const embedder = openWith({ provider: 'openai-compatible', model: 'm', url: small.url });
    const long = 'long words '.repeat(100);
    const [short, cut] = await embedder.embed(['short', long], document);
    expect(toNumbers(short)).toEqual(toNumbers(unit(wordVector('short', 16))));
    expect(cut).toHaveLength(16);
    expect(
      small
        .texts()
        .filter((text) => text !== 'short')
        .map((text) => text.length),
    ).toEqual([1100, 1100, 550, 275]);
    await small.close();
  });

  it('is an error if even a short text is too large', async () => {
    server.script(...Array.from({ length: 9 }, () => ({ status: 413 })));
    expect(await failureOf(compatible().embed(['x'.repeat(200)], document))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(server.requests).toHaveLength(3);
  });
});

it('a query is not retried for long', async () => {
  server.script({ status: 429, headers: { 'retry-after': '30' } });
  expect(await failureOf(compatible().embed(['x'], query))).toMatchObject({ code: 'TRANSIENT_ERROR' });
  expect(waits).toEqual([]);
});

it('an account without quota is not retried', async () => {
  server.script({ status: 429, body: { error: { code: 'insufficient_quota', message: 'You exceeded your quota' } } });
  expect(await failureOf(compatible().embed(['x'], document))).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('You exceeded your quota. The account'),
  });
});

it('an unreachable server is named by its host only', async () => {
  const gone = server.host;
  await server.close();
  const embedder = openWith({
    provider: 'openai-compatible',
    model: 'm',
    url: `http://me:pass-word@${gone}/v1?token=tok`,
    maxRetries: 0,
  });
  const failed = await failureOf(embedder.embed(['x'], document));
  expect(failed).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining(`${gone} cannot be reached (ECONNREFUSED)`),
  });
  expect(failed.message).not.toMatch(/pass-word|tok\b/);
});

it('credentials in the URL are sent as a header', async () => {
  await openWith({ provider: 'ollama', url: `http://me:p%40ss@${server.host}` })
    .embed(['x'], document)
    .catch(() => {});
  expect(server.requests[0]?.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

it.each([
  ['openai', 'OPENAI_API_KEY'],
  ['openai-compatible', 'OPENAI_COMPATIBLE_API_KEY'],
] as const)('a key of the environment is not sent to an address of the config: %s', async (provider, variable) => {
  const settings = { provider, model: 'm', url: server.url };
  const env = { [variable]: key };
  // OpenAI's protocol without a key is not even tried.
  if (provider === 'openai-compatible') server.script({ status: 401 });
  const failed = await failureOf(openWith(settings, env).embed(['x'], document));
  expect(failed.message).toContain(
    `${variable} is not sent to ${server.host}, which is set in the config. To send it there, add api_key = "\${${variable}}" to [embedding].`,
  );
  expect(server.requests.map(({ authorization }) => authorization)).not.toContain(`Bearer ${key}`);
  await openWith({ ...settings, apiKey: key }, env).embed(['x'], document);
  expect(server.requests.at(-1)?.authorization).toBe(`Bearer ${key}`);
});

it('OpenAI is asked for the configured dimensions if its model supports them', async () => {
  const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url };
  await openWith({ provider: 'openai', dims: 16 }, env).embed(['x'], document);
  await openWith({ provider: 'openai', model: 'older', dims: 16 }, env).embed(['x'], document);
  expect(server.requests.map(({ body }) => body.dimensions)).toEqual([16, undefined]);
  expect(server.requests.map(({ body }) => body.encoding_format)).toEqual(['base64', 'base64']);
});

it('a model that was trained with prefixes gets them', async () => {
  const embedder = openWith({ provider: 'ollama', model: 'nomic-embed-text:v1.5', url: server.url });
  await embedder.embed(['x'], query);
  await embedder.embed(['x \ud800'], document);
  expect(server.texts()).toEqual(['search_query: x', 'search_document: x \ufffd']);
});

it.each([
  [{ provider: 'openai' }, 'OPENAI_API_KEY', 'NOT_CONFIGURED'],
  [{ provider: 'openai-compatible', model: 'm' }, 'OPENAI_COMPATIBLE_BASE_URL', 'NOT_CONFIGURED'],
  [{ provider: 'openai-compatible', url: 'http://127.0.0.1:1/v1' }, '[embedding] model', 'NOT_CONFIGURED'],
  [{ provider: 'openai-compatible', model: 'm', url: 'ftp://x' }, '[embedding] url', 'INVALID_CONFIG'],
  [{ provider: 'local', model: 'bge-large' }, 'all-MiniLM-L6-v2', 'INVALID_CONFIG'],
  [{ provider: 'local', dims: 512 }, '384', 'INVALID_CONFIG'],
] as const)('%j is opened, and says with the first text what to set: %s', async (settings, words, code) => {
  const failed = await failureOf(openWith(settings).embed(['x'], document));
  expect(failed).toMatchObject({ code, message: expect.stringContaining(words) });
});

it.each([
  [{ provider: 'openai' }, {}, 'openai/text-embedding-3-small/1536'],
  [{ provider: 'openai', model: 'text-embedding-3-large' }, {}, 'openai/text-embedding-3-large/3072'],
  [{ provider: 'ollama' }, { OLLAMA_HOST: '0.0.0.0' }, 'ollama/nomic-embed-text/768'],
  [{ provider: 'openai-compatible', model: 'm', dims: 5, url: 'http://h:1/v1' }, {}, 'openai-compatible/m/5/h:1'],
  [{ provider: 'local' }, {}, 'local/all-MiniLM-L6-v2/384'],
] as const)('the key of %j tells model and dimensions', (settings, env, expected) => {
  expect(openWith(settings, env).key).toBe(expected);
});

it('the provider "disabled" opens no embedder', () => {
  const settings = { provider: 'disabled', batchSize: 1, maxRetries: 0, timeoutMs: 1 } as const;
  expect(openEmbedder(settings, { env: () => undefined, clock, logger: silentLogger })).toBeUndefined();
});

function compatible(): OpenedEmbedder {
  return openWith({ provider: 'openai-compatible', model: 'm', url: server.url });
}

function openWith(
  settings: Partial<EmbeddingSettings> & Pick<EmbeddingSettings, 'provider'>,
  env: Partial<Record<string, string>> = {},
): OpenedEmbedder {
  const embedder = openEmbedder(
    { batchSize: 64, maxRetries: 5, timeoutMs: 30_000, ...settings },
    { env: (name) => env[name], clock, logger: silentLogger },
  );
  if (!embedder) throw new Error('disabled');
  return embedder;
}

async function failureOf(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  return work.then(
    () => ({ code: 'nothing failed', message: '' }),
    (error: { code: string; message: string }) => error,
  );
}

function unit(values: readonly number[]): Float32Array {
  return Float32Array.from(values, (value) => value / Math.hypot(...values));
}

function toNumbers(vector: Float32Array | undefined): number[] {
  return Array.from(vector ?? [], (value) => Math.round(value * 1e5) / 1e5);
}
