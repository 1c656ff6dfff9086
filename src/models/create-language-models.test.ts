import { afterEach, describe, expect, it } from 'vitest';
import { newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { startModelServer, type TestModelServer } from '../../test/support/models/model-server.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { openStore } from '../store/open-store.ts';
import type { Vault } from '../vault/vault.ts';
import { createLanguageModels } from './create-language-models.ts';
import type { ProviderSettings } from './language-models.ts';

const servers: TestModelServer[] = [];
const removers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  for (const remove of removers.splice(0)) await remove();
});

async function serve(): Promise<TestModelServer> {
  const server = await startModelServer({ script: () => ({ text: 'ok' }), models: ['b', 'org/a'] });
  servers.push(server);
  return server;
}

/** The vault of a real store, encrypted with this secret. */
async function openVault(
  values: Record<string, string> = {},
  options: { db?: TestDatabase['db']; secret?: string } = {},
) {
  let { db } = options;
  if (db === undefined) {
    const database = await newTestDatabase('sqlite');
    removers.push(() => database.remove());
    db = database.db;
  }
  const secret = options.secret ?? 'the secret of this test, long enough';
  const store = await openStore({ db, clock: systemClock, logger: silentLogger, secret });
  removers.unshift(() => store.close());
  for (const [name, value] of Object.entries(values)) await store.vault.set(name, value);
  return { db, vault: store.vault };
}

interface Sources {
  providers?: Record<string, ProviderSettings>;
  env?: Record<string, string>;
  vault?: Vault;
}

function models({ providers = {}, env = {}, vault }: Sources = {}) {
  return createLanguageModels({ providers, lookUp: (name) => env[name], vault });
}

/** Returns the headers of the request of the named model. */
async function ask(server: TestModelServer, sources: Sources, name: string) {
  const model = await models(sources).resolve(name);
  const { signal } = new AbortController();
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  for await (const _ of model.stream({ system: '', messages, tools: [], settings: {}, signal }));
  return server.requests.at(-1) ?? expect.fail();
}

describe('a name', () => {
  it.each([
    ['gpt-5', '"gpt-5" is not the name of a model. Use provider/model'],
    ['', 'The name of the model is empty. Use provider/model'],
    ['openai/', '"openai/" is not the name of a model'],
    ['/gpt', '"/gpt" is not the name of a model'],
  ])('%j is refused with the right form', async (name, words) => {
    await expect(models().resolve(name)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(words),
    });
  });

  it('of an unknown provider is refused with a list of the known ones', async () => {
    const providers = { work: { type: 'openai' } } as const;
    await expect(models({ providers }).resolve('mistral/large')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message:
        'There is no provider "mistral". Available: openai, anthropic, google, ollama, openai-compatible, work. To add it, put [providers.mistral] with type and base_url into the config.',
    });
    await expect(models().resolve('toString/x')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});

describe('a provider without a key', () => {
  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GOOGLE_API_KEY'],
  ])('%s says what to set and where', async (name, variable) => {
    await expect(models().resolve(`${name}/x`)).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message: `Provider "${name}" has no key. Set ${variable} in the environment.`,
    });
    const { vault } = await openVault();
    await expect(models({ vault }).resolve(`${name}/x`)).rejects.toMatchObject({
      message: `Provider "${name}" has no key. Set ${variable} in the environment or [providers.${name}] api_key in the config, or save a key under Models in the web app.`,
    });
  });

  it('openai-compatible says which address to set', async () => {
    await expect(models().list('openai-compatible', { signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message:
        'Provider "openai-compatible" has no address. Set OPENAI_COMPATIBLE_BASE_URL in the environment or [providers.openai-compatible] base_url in the config.',
    });
  });
});

describe('a key', () => {
  it('comes from the config, then the environment, then the vault', async () => {
    const server = await serve();
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'from-environment' };
    const { vault } = await openVault({ 'provider-key:openai': 'from-vault' });
    const providers = { openai: { type: 'openai', apiKey: 'from-config' } } as const;
    const key = async (sources: Sources) => (await ask(server, sources, 'openai/x')).headers.authorization;
    expect(await key({ providers, env, vault })).toBe('Bearer from-config');
    expect(await key({ env, vault })).toBe('Bearer from-environment');
    expect(await key({ env: { OPENAI_BASE_URL: server.url }, vault })).toBe('Bearer from-vault');
    expect(await key({ env: { OPENAI_BASE_URL: server.url } })).toBeUndefined();
  });

  it('of the environment never goes to a provider with another name', async () => {
    const server = await serve();
    const providers = { work: { type: 'openai', baseUrl: server.url, headers: { 'x-team': 'blue' } } } as const;
    const { headers, path } = await ask(
      server,
      { providers, env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://other' } },
      'work/x',
    );
    expect(headers.authorization).toBeUndefined();
    expect(headers['x-team']).toBe('blue');
    expect(path).toBe('/v1/chat/completions');
  });

  it('that is saved works at once, and can be deleted', async () => {
    const server = await serve();
    const { vault } = await openVault();
    const sources = { vault, env: { OPENAI_COMPATIBLE_BASE_URL: server.url } };
    await models(sources).setKey('openai-compatible', ' saved-key \n');
    expect((await ask(server, sources, 'openai-compatible/a/b')).headers.authorization).toBe('Bearer saved-key');
    expect(server.requests[0]?.body.model).toBe('a/b');
    await models(sources).setKey('openai-compatible', null);
    expect((await ask(server, sources, 'openai-compatible/x')).headers.authorization).toBeUndefined();
    await expect(models(sources).setKey('nobody', 'k')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(models(sources).setKey('openai', 'two words')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(models().setKey('openai', 'k')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('a vault that cannot be opened', () => {
  it('affects only callers that need its key', async () => {
    const { db } = await openVault({ 'provider-key:anthropic': 'k' });
    const { vault } = await openVault({}, { db, secret: 'another secret, as long as the first' });
    const sources = { vault, env: { OPENAI_API_KEY: 'k' } };
    await expect(models(sources).resolve('anthropic/x')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await models(sources).resolve('openai/x')).toMatchObject({ provider: 'openai' });
    expect(await models(sources).resolve('ollama/x')).toMatchObject({ provider: 'ollama' });
    expect((await models(sources).providers()).map(({ key }) => key)).toEqual([
      'environment',
      'vault',
      'none',
      'not-needed',
      'not-needed',
    ]);
  });
});

describe('an address', () => {
  it.each([
    ['http://127.0.0.1:PORT', 'ollama'],
    ['127.0.0.1:PORT', 'ollama'],
    ['0.0.0.0:PORT', 'ollama'],
    [':PORT', 'ollama'],
    ['http://127.0.0.1:PORT/v1/', 'openai-compatible'],
    ['http://127.0.0.1:PORT', 'openai-compatible'],
  ])('%s of the environment finds %s', async (address, provider) => {
    const server = await serve();
    const value = address.replace('PORT', new URL(server.url).port);
    const env = { OLLAMA_HOST: value, OPENAI_COMPATIBLE_BASE_URL: value };
    expect((await ask(server, { env }, `${provider}/x`)).path).toBe('/v1/chat/completions');
    expect(await models({ env }).list(provider, { signal: new AbortController().signal })).toEqual(['b', 'org/a']);
  });

  it.each([
    ['nowhere', 'must start with http'],
    ['http://me:pass@127.0.0.1/v1', 'contains a user name or password'],
    ['http://127.0.0.1/v1?a=1', 'must not contain a query'],
  ])('%s cannot work, and the setting is named', async (baseUrl, words) => {
    const providers = { local: { type: 'openai-compatible', baseUrl } } as const;
    await expect(models({ providers }).resolve('local/x')).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`[providers.local] base_url ${words}`),
    });
    const info = (await models({ providers }).providers()).find(({ name }) => name === 'local');
    expect(info).toMatchObject({ isReady: false, baseUrl: null, hint: expect.stringContaining(words) });
    expect(JSON.stringify(info)).not.toContain('pass@');
  });
});

describe('the providers', () => {
  it('are the configured and the well-known ones, each with what is missing', async () => {
    const providers = {
      google: { type: 'google', apiKey: 'k' },
      work: { type: 'openai', baseUrl: 'https://gate.example/v1', apiKey: 'k' },
    } as const;
    const { vault } = await openVault({ 'provider-key:openai': 'k' });
    const list = await models({
      providers,
      env: { ANTHROPIC_API_KEY: 'k' },
      vault,
    }).providers();
    expect(list.map(({ name, key, isReady }) => [name, key, isReady])).toEqual([
      ['openai', 'vault', true],
      ['anthropic', 'environment', true],
      ['google', 'config', true],
      ['ollama', 'not-needed', true],
      ['openai-compatible', 'not-needed', false],
      ['work', 'config', true],
    ]);
    expect(list.map(({ baseUrl }) => baseUrl)).toEqual([
      'https://api.openai.com/v1',
      'https://api.anthropic.com/v1',
      'https://generativelanguage.googleapis.com/v1beta',
      'http://127.0.0.1:11434/v1',
      null,
      'https://gate.example/v1',
    ]);
    expect(list.map(({ hint }) => hint === null)).toEqual([true, true, true, true, false, true]);
  });
});

describe('a price', () => {
  it('is that of the config for this model, or none', async () => {
    const price = { input: 1.5, output: 6, cachedInput: 0.15 };
    const providers = { ollama: { type: 'ollama', prices: { 'org/a': price } } } as const;
    expect((await models({ providers }).resolve('ollama/org/a')).price).toEqual(price);
    expect((await models({ providers }).resolve('ollama/toString')).price).toBeUndefined();
  });
});
