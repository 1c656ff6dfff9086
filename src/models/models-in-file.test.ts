import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fillHome } from '../../test/support/databases/test-database.ts';
import { startEmbeddingServer } from '../../test/support/models/embedding-server.ts';
import { startModelServer } from '../../test/support/models/model-server.ts';
import { createHub, loadConfig } from '../index.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const { signal } = new AbortController();

/** A hub whose config has this text. Without `isNamed`, it was found in the working folder, so that it needs trust. */
async function openHub(toml: string, { isNamed = true, watch = false, env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'zoo-models-file-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, 'data');
  await fillHome(home);
  const path = join(folder, 'zoo.toml');
  writeFileSync(path, toml);
  const config = await loadConfig({
    cwd: folder,
    env: { AGENT_ZOO_HOME: home, ...env },
    home: folder,
    ...(isNamed && { explicitFile: path }),
  });
  const hub = await createHub({ config, watch });
  closers.push(() => hub.close());
  return { hub, read: () => readFileSync(path, 'utf8'), write: (text: string) => writeFileSync(path, text) };
}

async function serveModel(...texts: string[]) {
  const server = await startModelServer({ script: texts.map((text) => ({ text })) });
  closers.push(() => server.close());
  return server;
}

async function ask(hub: Awaited<ReturnType<typeof openHub>>['hub'], name: string): Promise<void> {
  const model = await hub.models.resolve(name);
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  for await (const _ of model.stream({ system: '', messages, tools: [], settings: {}, signal }));
}

describe('a provider of the config file', () => {
  it('is changed there with its comments kept, and the change applies at once', async () => {
    const [first, second] = [await serveModel(), await serveModel('ok')];
    const toml = `# Ours.\n[providers.lab] # the lab\nbase_url = "${first.url}" # old\n`;
    const { hub, read } = await openHub(toml);
    const provider = { type: 'openai-compatible' as const, baseUrl: second.url };
    const change = { kind: 'provider' as const, name: 'lab', provider };
    const preview = await hub.models.preview(change);
    expect(preview).toMatchObject({
      where: 'file',
      needsRestart: false,
      lines: [{ kind: 'removed' }, { kind: 'added' }],
    });
    expect(read()).toBe(toml);
    const applied = await hub.models.apply(change, { hash: preview.hash ?? '' });
    expect(applied).toEqual({ where: 'file', isHeld: false, needsRestart: false });
    expect(read()).toBe(toml.replace(first.url, second.url));
    await ask(hub, 'lab/any');
    expect(second.requests).toHaveLength(1);
    await expect(hub.models.apply(change, { hash: preview.hash ?? '' })).rejects.toMatchObject({ code: 'CONFLICT' });

    await hub.models.remove('lab');
    expect(read()).toBe('# Ours.\n');
    await expect(hub.models.provider('lab')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is not changed by connecting, so that the log has each change', async () => {
    const [first, second] = [await serveModel(), await serveModel()];
    const toml = `[providers.lab]\nbase_url = "${first.url}"\n`;
    const { hub, read } = await openHub(toml);
    const input = { type: 'openai-compatible' as const, baseUrl: second.url };
    await expect(hub.models.connect('lab', { kind: 'provider', input }, { signal })).rejects.toMatchObject({
      code: 'CONFLICT',
      message:
        'Provider "lab" is set in the config file, so it cannot be tried before it is changed. Change it there or under Models in the web app, then test it.',
    });
    expect(read()).toBe(toml);
    const key = { kind: 'key' as const, key: 'the-key-of-the-lab' };
    expect(await hub.models.connect('lab', key, { signal })).toMatchObject({
      isSaved: true,
      provider: { key: 'vault' },
    });
    expect(read()).toBe(toml);
  });

  it('does not take its key to another address, and keeps a variable that still fits', async () => {
    const server = await serveModel();
    const toml = `[providers.lab]\nbase_url = "\${LAB_URL}"\napi_key = "\${LAB_KEY}"\n`;
    const { hub, read } = await openHub(toml, { env: { LAB_URL: server.url, LAB_KEY: 'the-key-of-the-lab' } });
    const type = 'openai-compatible' as const;
    await expect(hub.models.save('lab', { type, baseUrl: 'http://127.0.0.1:9/v1' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'The address of provider "lab" would change. Enter its key again.',
    });
    await hub.models.save('lab', { type, baseUrl: server.url });
    expect(read()).toBe(toml);
    await hub.models.save('lab', { type, baseUrl: 'http://127.0.0.1:9/v1', key: `\${LAB_KEY}` });
    expect(read()).toBe(`[providers.lab]\nbase_url = "http://127.0.0.1:9/v1"\napi_key = "\${LAB_KEY}"\n`);
    // A key itself is not written into a file that others may see.
    await hub.models.save('lab', { type, baseUrl: server.url, key: 'another-key' });
    expect(read()).toBe(`[providers.lab]\nbase_url = "${server.url}"\n`);
    expect(await hub.models.provider('lab')).toMatchObject({ key: 'vault', isReady: true });
  });

  it('does not take its key to the address of another type', async () => {
    const toml = `[providers.main]\ntype = "openai"\napi_key = "\${MAIN_KEY}"\n`;
    const { hub, read } = await openHub(toml, { env: { MAIN_KEY: 'the-key-for-openai' } });
    for (const type of ['anthropic', 'ollama'] as const)
      await expect(hub.models.save('main', { type })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
        message: 'The address of provider "main" would change. Enter its key again.',
      });
    expect(read()).toBe(toml);
    await hub.models.save('main', { type: 'anthropic', key: `\${OTHER_KEY}` }).catch(() => {});
    expect(read()).not.toContain('MAIN_KEY');
  });

  it('gets its key into the vault if the file has none', async () => {
    const server = await serveModel('ok');
    const toml = `[providers.lab]\nbase_url = "${server.url}"\n`;
    const { hub, read } = await openHub(toml);
    await hub.models.save('lab', { type: 'openai-compatible', baseUrl: server.url, key: 'key-of-the-lab' });
    expect(read()).toBe(toml);
    await ask(hub, 'lab/any');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer key-of-the-lab');
  });

  it('that somebody adds to the file is there without a restart, and its key is kept out of the log', async () => {
    const server = await serveModel('ok');
    const { hub, write } = await openHub('', { watch: true });
    await expect(hub.models.resolve('lab/any')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    write(
      `[providers.lab]\nbase_url = "${server.url}"\napi_key = "a-key-in-the-file"\n\n[engine]\nmodel = "lab/any"\n`,
    );
    await vi.waitFor(async () => expect((await hub.models.defaultModel()).model).toBe('lab/any'), { timeout: 10_000 });
    await ask(hub, 'lab/any');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer a-key-in-the-file');
    expect(hub.redact('It is a-key-in-the-file.')).not.toContain('a-key-in-the-file');
    expect(
      hub
        .problems()
        .map(({ message }) => message)
        .join(),
    ).not.toContain('Restart');
  });

  it('that is held neither collects a key nor keeps another one from working', async () => {
    const toml = '[providers.lab]\nbase_url = "http://127.0.0.1:9/v1"\n';
    const { hub, read } = await openHub(toml, { isNamed: false });
    const server = await serveModel('ok');
    const provider = { type: 'openai-compatible' as const, baseUrl: server.url, key: 'key-of-the-lab' };
    const applied = await hub.models.apply({ kind: 'provider', name: 'lab', provider });
    expect(applied).toMatchObject({ where: 'hub', isHeld: false });
    expect(read()).toBe(toml);
    await ask(hub, 'lab/any');
    expect(server.requests).toHaveLength(1);
  });
});

describe('a section of the config file that sets only prices', () => {
  const hint = '[providers.openai.prices."gpt-5"]\ninput = 1.25\noutput = 10.0\n';

  it('leaves a well-known provider as it is', async () => {
    const { hub } = await openHub(hint, { env: { OPENAI_API_KEY: 'the-key-for-openai' } });
    expect(await hub.models.provider('openai')).toMatchObject({
      type: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      from: 'built-in',
      key: 'environment',
      isReady: true,
    });
    expect((await hub.models.resolve('openai/gpt-5')).price).toEqual({ input: 1.25, output: 10 });
  });

  it('leaves a new provider to the app, which tries it before it is saved', async () => {
    const server = await serveModel();
    const toml = '[providers.lab.prices.small]\ninput = 1\noutput = 2\n';
    const { hub, read } = await openHub(toml);
    const connect = (baseUrl: string) =>
      hub.models.connect('lab', { kind: 'provider', input: { type: 'openai-compatible', baseUrl } }, { signal });
    expect(await connect(`${server.url}/elsewhere`)).toMatchObject({ isSaved: false, failure: { reason: 'address' } });
    expect(await hub.models.provider('lab')).toMatchObject({ baseUrl: null });
    expect(await connect(server.url)).toMatchObject({ isSaved: true, failure: null });
    expect(await hub.models.provider('lab')).toMatchObject({
      from: 'app',
      prices: [{ model: 'small', from: 'config' }],
    });
    expect(read()).toBe(toml);
  });

  it('wins over the prices of the app, and is changed in the file', async () => {
    const { hub, read } = await openHub(hint);
    const model = 'openai/gpt-5';
    const preview = await hub.models.preview({
      kind: 'price',
      model,
      price: { input: 2, output: 10, cachedInput: 0.5 },
    });
    expect(preview.lines.map(({ text }) => text)).toEqual(['input = 1.25', 'input = 2', 'cached_input = 0.5']);
    await hub.models.apply({ kind: 'price', model, price: { input: 2, output: 10, cachedInput: 0.5 } });
    expect(read()).toContain('[providers.openai.prices."gpt-5"]\ninput = 2\noutput = 10.0\ncached_input = 0.5\n');
    await hub.models.apply({ kind: 'price', model: 'openai/o9', price: { input: 1, output: 1 } });
    expect((await hub.models.provider('openai')).prices).toMatchObject([
      { model: 'gpt-5', input: 2, from: 'config' },
      { model: 'o9', input: 1, from: 'app' },
    ]);
    await hub.models.apply({ kind: 'price', model, price: null });
    expect(read()).not.toContain('input');
    expect((await hub.models.provider('openai')).prices).toMatchObject([{ model: 'o9' }]);
  });

  it('leaves a provider of the app as it is, and the provider is still changed in the app', async () => {
    const [first, second] = [await serveModel('ok'), await serveModel('ok')];
    const { hub, read } = await openHub(hint);
    const type = 'openai-compatible' as const;
    await hub.models.save('openai', { type, baseUrl: first.url, key: 'key-of-the-lab' });
    expect(await hub.models.provider('openai')).toMatchObject({ type, baseUrl: first.url, from: 'app', key: 'vault' });
    await ask(hub, 'openai/gpt-5');
    expect(first.requests[0]?.headers.authorization).toBe('Bearer key-of-the-lab');
    await hub.models.save('openai', { type, baseUrl: second.url });
    expect(await hub.models.provider('openai')).toMatchObject({ baseUrl: second.url, from: 'app' });
    expect(read()).toBe(hint);
    await hub.models.remove('openai');
    expect(await hub.models.provider('openai')).toMatchObject({ type: 'openai', from: 'built-in' });
  });
});

describe('a section of the config file without a type', () => {
  it('has the type of a well-known name, unless it has an address', async () => {
    const server = await serveModel();
    const toml = `[providers.anthropic]\napi_key = "a-key-in-the-file"\n\n[providers.openai]\nbase_url = "${server.url}"\n`;
    const { hub } = await openHub(toml);
    const anthropic = { type: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', key: 'config', from: 'config' };
    expect(await hub.models.provider('anthropic')).toMatchObject(anthropic);
    expect(await hub.models.provider('openai')).toMatchObject({ type: 'openai-compatible', baseUrl: server.url });
  });

  it('does not send its key to an address of the app', async () => {
    const server = await serveModel();
    const { hub, write } = await openHub('', { watch: true });
    await hub.models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
    write('[providers.lab]\napi_key = "a-key-in-the-file"\n');
    await vi.waitFor(async () => expect((await hub.models.provider('lab')).from).toBe('config'), { timeout: 10_000 });
    expect(await hub.models.provider('lab')).toMatchObject({ baseUrl: null, isReady: false });
  });
});

it('the default model of the config file is changed there, and applies at once', async () => {
  const { hub, read } = await openHub('[engine]\nmodel = "ollama/a" # fast\nmax_ticks = 5\n');
  expect(await hub.models.defaultModel()).toEqual({ model: 'ollama/a', from: 'config', version: null });
  await expect(hub.models.setDefaultModel('nothing/b')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await hub.models.setDefaultModel('ollama/b');
  expect(read()).toBe('[engine]\nmodel = "ollama/b" # fast\nmax_ticks = 5\n');
  expect((await hub.models.defaultModel()).model).toBe('ollama/b');
  await hub.models.setDefaultModel(null);
  expect(read()).toBe('[engine]\nmax_ticks = 5\n');
  await hub.models.setDefaultModel('ollama/c');
  expect(await hub.models.defaultModel()).toMatchObject({ model: 'ollama/c', from: 'app' });
});

describe('embeddings of the config file', () => {
  it('are changed there, and apply at once', async () => {
    const server = await startEmbeddingServer({ dims: 4 });
    closers.push(() => server.close());
    const toml = `[embedding] # for search\nprovider = "openai-compatible"\nmodel = "owl"\nurl = "${server.url}"\nbatch_size = 8\n`;
    const { hub, read } = await openHub(toml);
    expect(await hub.embeddings.choice()).toMatchObject({ model: 'openai-compatible/owl', from: 'config' });
    const wish = { model: 'openai-compatible/eagle' };
    const { lines, hash } = await hub.embeddings.preview(wish, { signal });
    expect(lines.map(({ text }) => text)).toEqual(['model = "owl"', 'model = "eagle"']);
    await hub.embeddings.choose(wish, { hash: hash ?? '', signal });
    expect(read()).toBe(toml.replace('owl', 'eagle'));
    expect((await hub.knowledge.stats()).embeddings).toMatchObject({ model: 'eagle', dims: 4 });
    await hub.embeddings.choose({ model: null }, { signal });
    expect(read()).toContain('provider = "disabled"\nmodel = "eagle"\n');
    expect((await hub.knowledge.stats()).embeddings).toEqual({ provider: 'disabled' });
  });

  it('give way to a provider that the file cannot name, whose choice the hub stores', async () => {
    const server = await startEmbeddingServer({ dims: 4 });
    closers.push(() => server.close());
    const { hub, read } = await openHub('[embedding]\nprovider = "disabled" # not yet\nbatch_size = 8\n');
    await hub.models.save('lab', { type: 'openai-compatible', baseUrl: server.url, key: 'key-of-the-lab' });
    await hub.embeddings.choose({ model: 'lab/owl' }, { signal });
    expect(read()).toBe('[embedding]\nbatch_size = 8\n');
    expect(await hub.embeddings.choice()).toMatchObject({ model: 'lab/owl', from: 'app' });
    expect(server.requests.at(-1)?.authorization).toBe('Bearer key-of-the-lab');
  });

  it('follow the file', async () => {
    const server = await startEmbeddingServer({ dims: 4 });
    closers.push(() => server.close());
    const { hub, write } = await openHub('', { watch: true });
    write(`[embedding]\nprovider = "openai-compatible"\nmodel = "owl"\nurl = "${server.url}"\n`);
    await vi.waitFor(async () => expect((await hub.knowledge.stats()).embeddings).toMatchObject({ model: 'owl' }), {
      timeout: 10_000,
    });
  });
});
