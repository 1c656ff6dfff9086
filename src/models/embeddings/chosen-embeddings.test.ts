import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startEmbeddingServer } from '../../../test/support/models/embedding-server.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createHub, loadConfig } from '../../index.ts';
import { openChosenEmbeddings } from './chosen-embeddings.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const { signal } = new AbortController();

async function openHub(toml = '') {
  const folder = mkdtempSync(join(tmpdir(), 'zoo-embeddings-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'zoo.toml');
  writeFileSync(path, toml);
  const env = { AGENT_ZOO_HOME: join(folder, 'data'), OPENAI_API_KEY: 'of-the-environment' };
  const open = async () => {
    const config = await loadConfig({ cwd: folder, env, home: folder, explicitFile: path });
    const hub = await createHub({ config, watch: false });
    closers.push(() => hub.close());
    return hub;
  };
  return { hub: await open(), open };
}

async function serveEmbeddings() {
  const server = await startEmbeddingServer({ dims: 4 });
  closers.push(() => server.close());
  return server;
}

it('embeddings chosen in the app are asked first, apply at once and after a restart, and can be turned off', async () => {
  const server = await serveEmbeddings();
  const { hub, open } = await openHub();
  await hub.models.save('lab', { type: 'openai-compatible', baseUrl: server.url, key: 'key-of-the-lab' });
  expect((await hub.knowledge.stats()).embeddings).toEqual({ provider: 'disabled' });

  server.script({ status: 404, body: { error: { message: 'No such model.' } } });
  await expect(hub.embeddings.choose({ model: 'lab/wrong' }, { signal })).rejects.toThrow(
    'Check that lab has the embedding model',
  );
  expect(await hub.embeddings.choice()).toEqual({ model: null, from: 'none', version: null, seen: { state: 'never' } });

  await hub.embeddings.choose({ model: 'lab/owl' }, { signal });
  expect(server.requests.at(-1)).toMatchObject({ authorization: 'Bearer key-of-the-lab', body: { model: 'owl' } });
  expect(await hub.embeddings.choice()).toMatchObject({ model: 'lab/owl', from: 'app' });
  expect((await hub.knowledge.stats()).embeddings).toMatchObject({ provider: 'lab', model: 'owl', dims: 4 });
  expect((await (await open()).knowledge.stats()).embeddings).toMatchObject({ provider: 'lab', model: 'owl' });

  await hub.embeddings.choose({ model: null }, { signal });
  expect((await hub.knowledge.stats()).embeddings).toEqual({ provider: 'disabled' });
});

it('what was seen of the embeddings follows their use', async () => {
  const server = await serveEmbeddings();
  const { hub } = await openHub();
  await hub.models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
  await hub.embeddings.choose({ model: 'lab/owl' }, { signal });
  expect((await hub.embeddings.choice()).seen).toMatchObject({ state: 'worked' });

  const limits = { batchSize: 8, maxRetries: 0, timeoutMs: 10_000 };
  const other = await openChosenEmbeddings({
    configured: async () => ({ isConfigured: false, settings: { provider: 'disabled', index: 'memory', ...limits } }),
    watchConfig: () => () => {},
    file: async () => ({ value: async () => undefined, plan: () => Promise.reject(new Error('There is no file.')) }),
    settings: hub.store.settings,
    access: (name) => hub.models.access(name),
    lookUp: () => undefined,
    onChange() {},
    clock: systemClock,
    logger: silentLogger,
  });
  closers.push(() => other.close());
  server.script({ status: 401, body: { error: { message: 'No.' } } });
  await expect(other.current?.embedder.embed(['owls'], { signal, purpose: 'query' })).rejects.toThrow('valid key');
  await expect
    .poll(async () => (await hub.embeddings.choice()).seen)
    .toMatchObject({ state: 'failed', message: expect.stringContaining('valid key') });

  await hub.embeddings.choose({ model: 'lab/lark' }, { signal });
  expect((await hub.embeddings.choice()).seen).toMatchObject({ state: 'worked' });
});

it('a key of the environment is not sent to a server without a key', async () => {
  const server = await serveEmbeddings();
  const { hub } = await openHub();
  await hub.models.save('openai', { type: 'openai', baseUrl: server.url });
  await expect(hub.embeddings.choose({ model: 'openai/owl' }, { signal })).rejects.toThrow();
  expect(server.requests.map(({ authorization }) => authorization)).not.toContain('Bearer of-the-environment');
});

it('a provider without embeddings is refused', async () => {
  const { hub } = await openHub();
  await hub.models.setKey('anthropic', 'key-of-anthropic');
  const choose = (model: string) => hub.embeddings.choose({ model }, { signal });
  await expect(choose('anthropic/claude')).rejects.toThrow('cannot make embeddings here');
  await expect(choose('owl')).rejects.toThrow('"owl" is not an embedding model');
});

it('a choice is not replaced by somebody who has not seen it', async () => {
  const server = await serveEmbeddings();
  const { hub, open } = await openHub();
  await hub.models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
  const { version } = await hub.embeddings.choice();
  await (await open()).embeddings.choose({ model: 'lab/theirs', version }, { signal });
  const late = hub.embeddings.choose({ model: 'lab/mine', version }, { signal });
  await expect(late).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await hub.embeddings.choice()).toMatchObject({ model: 'lab/theirs' });
});

/** Embeddings without a hub; `slow` provider is found only when `find` is called. */
async function openSlowly(url: string) {
  let chosen: string | undefined;
  let version = 0;
  const slow = Promise.withResolvers<void>();
  const listeners = new Set<(keys: readonly string[]) => void>();
  const limits = { batchSize: 8, maxRetries: 0, timeoutMs: 10_000 };
  const embeddings = await openChosenEmbeddings({
    configured: async () => ({ isConfigured: false, settings: { provider: 'disabled', index: 'memory', ...limits } }),
    watchConfig: () => () => {},
    file: async () => ({ value: async () => undefined, plan: () => Promise.reject(new Error('There is no file.')) }),
    settings: {
      list: async () => [],
      read: async (key, schema) =>
        chosen === undefined ? undefined : { key, value: schema.parse(chosen), version, updatedAt: 0 },
      write: () => Promise.reject(new Error('Nothing is written.')),
      delete: async () => false,
      change: () => Promise.reject(new Error('Nothing is changed.')),
      watch: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    async access(name) {
      if (name === 'slow') await slow.promise;
      return {
        name,
        type: 'openai-compatible',
        baseUrl: url,
        apiKey: undefined,
        settings: { type: 'openai-compatible' },
      };
    },
    lookUp: () => undefined,
    onChange() {},
    clock: systemClock,
    logger: silentLogger,
  });
  return {
    embeddings,
    find: slow.resolve,
    choose(model: string) {
      chosen = model;
      version += 1;
      for (const listener of listeners) listener(['embedding.model']);
    },
  };
}

it('the newest choice is the one that stays, even if an earlier one takes longer to open', async () => {
  const { embeddings, choose, find } = await openSlowly('http://127.0.0.1:9');
  choose('slow/a');
  choose('fast/b');
  find();
  await embeddings.close();
  expect(embeddings.current).toMatchObject({ provider: 'fast', model: 'b' });
});

it('a replaced model finishes what it was asked, and takes nothing more', async () => {
  const reply = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const server = createServer(async (_request, response) => {
    asked.resolve();
    await reply.promise;
    response.setHeader('content-type', 'application/json').end('{"data":[{"embedding":[1,0]}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closers.push(() => server.close());
  const { embeddings, choose } = await openSlowly(url);
  choose('first/a');
  await expect.poll(() => embeddings.current?.model).toBe('a');
  const before = embeddings.current?.embedder ?? expect.fail();
  const search = before.embed(['owls'], { signal, purpose: 'query' });
  await asked.promise;
  choose('second/b');
  await expect.poll(() => embeddings.current?.model).toBe('b');
  reply.resolve();
  expect(await search).toHaveLength(1);
  const more = before.embed(['more'], { signal, purpose: 'document' });
  await expect(more).rejects.toThrow('Another embedding model was chosen meanwhile.');
});
