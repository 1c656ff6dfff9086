import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startEmbeddingServer } from '../../../test/support/models/embedding-server.ts';
import { createHub, loadConfig } from '../../index.ts';

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
  await expect(hub.embeddings.choose('lab/wrong', signal)).rejects.toThrow('Check that lab has the embedding model');
  expect(await hub.embeddings.choice()).toEqual({ model: null, from: 'none' });

  await hub.embeddings.choose('lab/owl', signal);
  expect(server.requests.at(-1)).toMatchObject({ authorization: 'Bearer key-of-the-lab', body: { model: 'owl' } });
  expect(await hub.embeddings.choice()).toEqual({ model: 'lab/owl', from: 'app' });
  expect((await hub.knowledge.stats()).embeddings).toMatchObject({ provider: 'lab', model: 'owl', dims: 4 });
  expect((await (await open()).knowledge.stats()).embeddings).toMatchObject({ provider: 'lab', model: 'owl' });

  await hub.embeddings.choose(null, signal);
  expect((await hub.knowledge.stats()).embeddings).toEqual({ provider: 'disabled' });
});

it('a key of the environment is not sent to a server without a key', async () => {
  const server = await serveEmbeddings();
  const { hub } = await openHub();
  await hub.models.save('openai', { type: 'openai', baseUrl: server.url });
  await expect(hub.embeddings.choose('openai/owl', signal)).rejects.toThrow();
  expect(server.requests.map(({ authorization }) => authorization)).not.toContain('Bearer of-the-environment');
});

it('the config file wins, and a provider without embeddings is refused', async () => {
  const { hub } = await openHub('[embedding]\nprovider = "disabled"\n');
  await expect(hub.embeddings.choose('local', signal)).rejects.toThrow('zoo.toml sets the embeddings.');
  const { hub: other } = await openHub();
  await other.models.setKey('anthropic', 'key-of-anthropic');
  await expect(other.embeddings.choose('anthropic/claude', signal)).rejects.toThrow('cannot make embeddings here');
  await expect(other.embeddings.choose('owl', signal)).rejects.toThrow('"owl" is not an embedding model');
});
