import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
    const { vault } = await openVault();
    await models({ vault, env }).setKey('openai', 'from-vault');
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
    const named = models({ providers: { work: { type: 'openai' } }, env: { OPENAI_API_KEY: 'k' } });
    expect((await named.providers()).find(({ name }) => name === 'work')).toMatchObject({ key: 'none' });
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

describe('a saved key', () => {
  const never = new AbortController().signal;
  const at = (baseUrl: string) => ({ openai: { type: 'openai', baseUrl }, mine: { type: 'openai', baseUrl } }) as const;

  it.each(['openai', 'mine'])('of %s is not sent to another address, and the message says what to do', async (name) => {
    const [own, other] = [await serve(), await serve()];
    const { vault } = await openVault();
    const before = { vault, providers: at(own.url) };
    await models(before).setKey(name, 'sk-of-the-first-address');
    expect((await ask(own, before, `${name}/x`)).headers.authorization).toBe('Bearer sk-of-the-first-address');

    const after = { vault, providers: at(other.url) };
    const message = `The saved key of provider "${name}" was entered for ${own.url}, so it is not sent to ${other.url}. Enter it again for this address: under Models in the web app, or with "zoo provider key ${name}".`;
    await expect(models(after).resolve(`${name}/x`)).rejects.toMatchObject({ code: 'NOT_CONFIGURED', message });
    await expect(models(after).list(name, { signal: never })).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    const shown = (await models(after).providers()).find((each) => each.name === name);
    expect(shown).toMatchObject({ key: 'none', isReady: false, hint: message });
    expect(other.requests).toEqual([]);

    await models(after).setKey(name, 'sk-of-the-second-address');
    expect((await ask(other, after, `${name}/x`)).headers.authorization).toBe('Bearer sk-of-the-second-address');
    await expect(models(before).resolve(`${name}/x`)).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
  });

  it('is bound to the path as well: a gateway may serve several tenants', async () => {
    const server = await serve();
    const { vault } = await openVault();
    await models({ vault, providers: at(`${server.url}/tenant-a`) }).setKey('mine', 'sk-of-tenant-a');
    await expect(models({ vault, providers: at(`${server.url}/tenant-b`) }).resolve('mine/x')).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
    });
  });

  it('is not saved for an address that the user did not see', async () => {
    const { vault } = await openVault();
    const sources = { vault, providers: at('https://gate.example/v1') };
    await expect(
      models(sources).setKey('mine', 'sk-for-gate', { baseUrl: 'https://other.example/v1' }),
    ).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('is now https://gate.example/v1') });
    expect(await vault.names('')).toEqual([]);
    await models(sources).setKey('mine', 'sk-for-gate', { baseUrl: 'https://gate.example/v1' });
    await expect(models({ vault }).setKey('openai-compatible', 'sk-for-nobody')).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message: expect.stringContaining('has no address'),
    });
  });

  it('without a recorded address, from an earlier version, goes to the provider itself and nowhere else', async () => {
    const server = await serve();
    const old = { 'provider-key:openai': 'sk-old-key-1', 'provider-key:mine': 'sk-old-key-2' };
    const { vault } = await openVault(old);
    expect((await models({ vault }).providers())[0]).toMatchObject({ name: 'openai', key: 'vault', isReady: true });
    await models({ vault }).resolve('openai/x');
    const sources = [
      { vault, providers: at(server.url) },
      { vault, env: { OPENAI_BASE_URL: server.url } },
    ];
    for (const each of sources) {
      await expect(models(each).resolve('openai/x')).rejects.toMatchObject({
        code: 'NOT_CONFIGURED',
        message: expect.stringContaining('The saved key of provider "openai" was saved without an address'),
      });
    }
    await expect(models({ vault, providers: at(server.url) }).resolve('mine/x')).rejects.toThrow('Enter it again');
    expect(server.requests).toEqual([]);
  });

  it('is sealed together with its address', async () => {
    const { vault } = await openVault();
    await models({ vault }).setKey('openai', 'sk-bound-to-openai');
    const text = await vault.get('provider-key:openai');
    expect(JSON.parse(text ?? '')).toEqual({ apiKey: 'sk-bound-to-openai', baseUrl: 'https://api.openai.com/v1' });
  });
});

describe('a key of the environment', () => {
  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GOOGLE_API_KEY'],
    ['openai-compatible', 'OPENAI_COMPATIBLE_API_KEY'],
  ] as const)('of %s is not sent to an address of the config', async (name, variable) => {
    const server = await serve();
    const providers = { [name]: { type: name, baseUrl: server.url } };
    const sources = { providers, env: { [variable]: 'sk-of-the-environment' } };
    await ask(server, sources, `${name}/x`).catch(() => {});
    expect(JSON.stringify(server.requests.map(({ headers }) => headers))).not.toContain('sk-of-the-environment');
    const shown = (await models(sources).providers()).find((each) => each.name === name);
    const address = name.startsWith('openai') ? `${server.url.replace(/\/v1$/, '')}/v1` : server.url;
    expect(shown?.key).not.toBe('environment');
    expect(shown?.hint).toBe(
      `${variable} is not sent to ${address}, which is set in the config. To send it there, add api_key = "\${${variable}}" to [providers.${name}].`,
    );
  });

  it('goes to the own address of the provider, also if the config names it', async () => {
    const providers = { openai: { type: 'openai', baseUrl: 'https://api.openai.com/v1/' } } as const;
    const [openai] = await models({ providers, env: { OPENAI_API_KEY: 'k' } }).providers();
    expect(openai).toMatchObject({ key: 'environment', isReady: true, hint: null, keyPlaces: [] });
    const { vault } = await openVault();
    const [without] = await models({ providers, vault }).providers();
    const keyPlaces = ['OPENAI_API_KEY in the environment', '[providers.openai] api_key in the config'];
    expect(without).toMatchObject({ key: 'none', isReady: false, keyPlaces });
    expect(without?.hint).toBe(
      `Provider "openai" has no key. Set ${keyPlaces.join(' or ')}, or save a key under Models in the web app.`,
    );
  });

  it('that was not sent is named when the server asks for one', async () => {
    const server = await startModelServer({ script: () => ({ status: 401 }) });
    servers.push(server);
    const providers = { openai: { type: 'openai', baseUrl: server.url } } as const;
    const failing = ask(server, { providers, env: { OPENAI_API_KEY: 'k' } }, 'openai/x');
    await expect(failing).rejects.toThrow(/requires a key \(HTTP 401\)\. OPENAI_API_KEY is not sent to/);
  });
});

describe('a redirect', () => {
  it.each(['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'] as const)(
    'of %s takes no key to another address',
    async (type) => {
      const asked: string[] = [];
      const listening = createServer((request, response) => {
        asked.push(request.url ?? '');
        request.resume();
        response.writeHead(307, { location: '/elsewhere' }).end();
      }).listen(0, '127.0.0.1');
      await once(listening, 'listening');
      const baseUrl = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/v1`;
      const providers = { moved: { type, baseUrl, apiKey: 'sk-of-the-first-address' } };
      const { signal } = new AbortController();
      const failed = { code: 'MODEL_ERROR' };
      await expect(ask(await serve(), { providers }, 'moved/x')).rejects.toMatchObject(failed);
      await expect(models({ providers }).list('moved', { signal })).rejects.toMatchObject(failed);
      expect(asked).toHaveLength(2);
      expect(asked).not.toContain('/elsewhere');
      listening.closeAllConnections();
      listening.close();
    },
  );
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
    const { signal } = new AbortController();
    expect(await models({ env }).list(provider, { signal })).toMatchObject({ models: ['b', 'org/a'] });
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
  it('are the configured and the well-known ones, each with its missing settings', async () => {
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

it('variables of an agent win over the environment, and their address gets no key of the environment', async () => {
  const [own, other] = [await serve(), await serve()];
  const env: Record<string, string> = { OPENAI_API_KEY: 'key-of-the-hub', OPENAI_BASE_URL: other.url };
  const models = createLanguageModels({ providers: {}, lookUp: (name) => env[name] });
  const ask = async (variables?: Record<string, string>) => {
    const model = await models.resolve('openai/m', variables);
    const request = {
      system: '',
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
    };
    const { signal } = new AbortController();
    for await (const _ of model.stream({ ...request, tools: [], settings: {}, signal }));
  };
  await ask({ OPENAI_API_KEY: 'key-of-the-agent', OPENAI_BASE_URL: own.url });
  expect(own.requests[0]?.headers.authorization).toBe('Bearer key-of-the-agent');
  await ask({ OPENAI_BASE_URL: own.url });
  expect(own.requests[1]?.headers.authorization ?? '').not.toContain('key-of-the-hub');
  await ask({ OPENAI_API_KEY: 'key-of-the-agent' });
  expect(other.requests[0]?.headers.authorization).toBe('Bearer key-of-the-agent');
  await ask();
  expect(other.requests[1]?.headers.authorization).toBe('Bearer key-of-the-hub');
});
