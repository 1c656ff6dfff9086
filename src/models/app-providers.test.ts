import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { newTestDatabase } from '../../test/support/databases/test-database.ts';
import { type ModelStep, startModelServer, type TestModelServer } from '../../test/support/models/model-server.ts';
import { freePort } from '../../test/support/servers/free-port.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { silentLogger } from '../base/logger.ts';
import type { SettingStore } from '../settings/settings.ts';
import { openStore } from '../store/open-store.ts';
import { createLanguageModels } from './create-language-models.ts';
import type { ProviderSettings } from './language-models.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(...script: ModelStep[]): Promise<TestModelServer> {
  const server = await startModelServer({ script, models: ['small', 'org/large'] });
  closers.push(() => server.close());
  return server;
}

interface Given {
  providers?: Record<string, ProviderSettings>;
  env?: Record<string, string>;
  clock?: Clock;
  secret?: string;
}

const usualSecret = 'the secret of this test, long enough';

/** Two processes with the same database. */
async function open({ providers = {}, env = {}, clock = systemClock, secret = usualSecret }: Given = {}) {
  const { db, remove } = await newTestDatabase('sqlite');
  const start = async () => {
    const store = await openStore({ db, clock: systemClock, logger: silentLogger, secret });
    closers.unshift(() => store.close());
    const { vault, settings, installationKeys } = store;
    const lookUp = (name: string) => env[name];
    const models = createLanguageModels({ providers, lookUp, vault, settings, installationKeys, clock });
    return { models, settings };
  };
  closers.push(remove);
  return { ...(await start()), other: (await start()).models };
}

const { signal } = new AbortController();

async function ask(
  models: ReturnType<typeof createLanguageModels>,
  name: string,
  variables?: Record<string, string>,
): Promise<void> {
  const model = await models.resolve(name, variables);
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  for await (const _ of model.stream({ system: '', messages, tools: [], settings: {}, signal }));
}

describe('a provider added in the app', () => {
  it('answers at once in every process, with its key, and is gone when it is removed', async () => {
    const server = await serve({ text: 'ok' }, { text: 'ok' });
    const { models, other } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: `${server.url}/`, key: 'key-of-the-lab' });
    expect(await other.provider('lab')).toMatchObject({
      from: 'app',
      baseUrl: server.url,
      key: 'vault',
      isReady: true,
      seen: { state: 'never' },
    });
    await ask(other, 'lab/small');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer key-of-the-lab');
    await models.remove('lab');
    await expect(other.resolve('lab/small')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    // A new provider with the same name does not get the old key.
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
    await ask(models, 'lab/small');
    expect(server.requests[1]?.headers.authorization).toBeUndefined();
  });

  it('loses its key with its address, and the hint says so', async () => {
    const [first, second] = [await serve({ text: 'ok' }), await serve({ text: 'ok' })];
    const { models } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: first.url, key: 'key-of-the-lab' });
    const { version } = await models.provider('lab');
    await models.save('lab', { type: 'openai-compatible', baseUrl: second.url, version });
    await expect(ask(models, 'lab/small')).rejects.toThrow(/was entered for http.* so it is not sent to/);
    expect(second.requests).toEqual([]);
    await expect(models.save('lab', { type: 'openai-compatible', baseUrl: first.url, version })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('can be a well-known one at another address, which does not get the key of the environment', async () => {
    const server = await serve({ text: 'ok' });
    const { models } = await open({ env: { OPENAI_API_KEY: 'key-for-openai' } });
    await models.save('openai', { type: 'openai', baseUrl: server.url });
    await ask(models, 'openai/small');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    const { hint } = await models.provider('openai');
    expect(hint).toBe(
      `OPENAI_API_KEY is not sent to ${server.url}, which is set under Models. To send a key there, enter it under Models.`,
    );
  });

  it('cannot be a built-in one when it is removed', async () => {
    const { models } = await open();
    await expect(models.remove('openai')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(models.remove('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['a/b', { type: 'ollama' }, 'The name "a/b" of the provider: must begin with a letter or digit'],
    ['lab', { type: 'openai-compatible' }, 'An OpenAI-compatible provider needs an address.'],
    ['lab', { type: 'openai', baseUrl: 'ftp://x' }, 'The address must start with http:// or https://.'],
    ['lab', { type: 'openai', baseUrl: 'https://me:pass@x/v1' }, 'The address contains a user name or password.'],
    ['lab', { type: 'openai', key: 'two words' }, 'A key must be one line'],
  ] as const)('%s %j is refused, and nothing is saved', async (name, input, words) => {
    const { models } = await open();
    await expect(models.save(name, input)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(words),
    });
    await expect(models.provider(name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a test', () => {
  it('asks a model, and only its answer counts as working', async () => {
    const server = await startModelServer({
      script: () => ({ text: 'ok' }),
      models: ['small', 'org/large'],
      key: 'the-right-key',
      listsWithoutKey: true,
    });
    closers.push(() => server.close());
    const { models, other } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url, key: 'any-other-key' });
    const listed = await models.test('lab', { model: null, signal });
    expect(listed).toMatchObject({ listed: { models: ['org/large', 'small'] }, answeredBy: null, failure: null });
    expect(listed.provider.seen).toMatchObject({ state: 'reached', models: 2 });
    expect(server.requests).toEqual([]);

    const refused = await models.test('lab', { signal });
    expect(refused).toMatchObject({ answeredBy: null, failure: { step: 'answer', reason: 'key' } });
    expect((await other.provider('lab')).seen).toMatchObject({ state: 'failed', reason: 'key' });
    await models.list('lab', { signal });
    expect((await other.provider('lab')).seen).toMatchObject({ state: 'failed', reason: 'key' });

    await models.setKey('lab', 'the-right-key');
    expect((await models.provider('lab')).seen).toEqual({ state: 'never' });
    const answered = await models.test('lab', { model: 'small', signal });
    expect(answered).toMatchObject({ answeredBy: 'lab/small', failure: null });
    expect((await other.provider('lab')).seen).toMatchObject({ state: 'worked', model: 'small', models: 2 });
    // A list takes nothing back.
    await models.list('lab', { signal });
    expect((await other.provider('lab')).seen).toMatchObject({ state: 'worked', model: 'small' });
  });

  it('of a wrong key stays the last word, whether models are listed later or cannot be', async () => {
    const server = await startModelServer({
      script: () => ({ text: 'ok' }),
      models: ['small'],
      key: 'x',
      listsWithoutKey: true,
    });
    let now = Date.UTC(2026, 0, 1);
    const { models, other } = await open({ clock: { ...systemClock, now: () => now } });
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url, key: 'any-other-key' });
    await models.test('lab', { signal });
    const refused = { state: 'failed', at: '2026-01-01T00:00:00.000Z', reason: 'key' };
    expect((await other.provider('lab')).seen).toMatchObject(refused);
    now += 3_600_000;
    await models.list('lab', { signal });
    expect((await other.provider('lab')).seen).toMatchObject(refused);
    await server.close();
    await expect(models.list('lab', { signal })).rejects.toThrow('cannot be reached');
    expect((await other.provider('lab')).seen).toMatchObject(refused);
  });

  it.each([
    ['the cheapest model', [{ id: 'dear', pricing: price(9) }, { id: 'low', pricing: price(1) }, 'a'], 'low'],
    ['a model for conversations', ['bge-small', 'text-embedding-3', 'whisper-1', 'zebra'], 'zebra'],
    ['whatever there is', ['text-embedding-3'], 'text-embedding-3'],
  ] as const)('asks %s if none was chosen', async (_, listed, asked) => {
    const server = await startModelServer({ script: () => ({ text: 'ok' }), models: listed });
    closers.push(() => server.close());
    const { models } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
    expect(await models.test('lab', { signal })).toMatchObject({ answeredBy: `lab/${asked}` });
    await models.setDefaultModel('lab/chosen');
    expect(await models.test('lab', { signal })).toMatchObject({ answeredBy: 'lab/chosen' });
  });

  it.each<[string, ModelStep, string, string]>([
    ['a wrong key', { status: 401, body: { error: { message: 'no' } } }, 'key', 'rejected the key (HTTP 401)'],
    [
      'no such model',
      { status: 404, body: { error: { message: 'The model is unknown' } } },
      'model',
      'name of the model',
    ],
    ['no credit', { status: 429, body: { error: { code: 'insufficient_quota' } } }, 'quota', 'no credit left'],
    ['a fault of the provider', { status: 500 }, 'provider', 'HTTP 500'],
  ])('of a model with %s fails once, with the reason', async (_, step, reason, words) => {
    const server = await serve(step);
    const { models } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
    const { failure, listed } = await models.test('lab', { model: 'small', signal });
    expect(failure).toMatchObject({ step: 'answer', reason, message: expect.stringContaining(words) });
    expect(listed?.models).toHaveLength(2);
    expect(server.requests).toHaveLength(1);
  });

  it('says that nothing is listening, and the provider is no longer shown as ready', async () => {
    const host = `127.0.0.1:${await freePort()}`;
    const { models } = await open({ env: { OLLAMA_HOST: host } });
    expect((await models.provider('ollama')).seen).toEqual({ state: 'never' });
    const { failure, provider } = await models.test('ollama', { signal });
    expect(failure).toMatchObject({
      step: 'list',
      reason: 'unreachable',
      message: `The model list of ollama cannot be reached: nothing is listening at ${host} (ECONNREFUSED). Start the server, or check the address.`,
    });
    expect(provider.seen).toMatchObject({ state: 'failed', reason: 'unreachable' });
  });

  it('of an address that serves something else says so', async () => {
    const server = await serve();
    const { models } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: `${server.url}/wrong` });
    const { failure } = await models.test('lab', { signal });
    expect(failure).toMatchObject({ reason: 'address', message: expect.stringContaining('Check') });
  });

  it('without a key says what is missing, and nothing is sent', async () => {
    const { models } = await open();
    const { failure, provider } = await models.test('openai', { signal });
    expect(failure).toMatchObject({ code: 'NOT_CONFIGURED', reason: 'key' });
    expect(provider.seen).toEqual({ state: 'never' });
    await expect(models.test('nothing', { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('what was seen of a provider', () => {
  it('follows real use, and a new key starts anew', async () => {
    const server = await serve(
      { text: 'ok' },
      { status: 401 },
      { status: 400, body: { error: { message: 'Bad tool' } } },
    );
    const { models, other } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
    await ask(models, 'lab/small');
    await expect.poll(async () => (await other.provider('lab')).seen.state).toBe('worked');
    await expect(ask(models, 'lab/small')).rejects.toThrow('rejected the key');
    await expect.poll(async () => (await other.provider('lab')).seen).toMatchObject({ state: 'failed', reason: 'key' });
    await models.setKey('lab', 'a-better-key');
    expect((await models.provider('lab')).seen).toEqual({ state: 'never' });
    // A rejected request says nothing about the provider.
    await expect(ask(models, 'lab/small')).rejects.toThrow('Bad tool');
    expect((await models.provider('lab')).seen).toEqual({ state: 'never' });
  });
});

describe('what was seen with another key', () => {
  it('says nothing about the key that is in the environment now, and does not contain the key', async () => {
    const server = await serve({ text: 'ok' });
    const env: Record<string, string> = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'the-first-key' };
    const { models, settings } = await open({ env });
    await models.test('openai', { model: 'small', signal });
    expect((await models.provider('openai')).seen).toMatchObject({ state: 'worked' });
    env.OPENAI_API_KEY = 'the-second-key';
    expect((await models.provider('openai')).seen).toEqual({ state: 'never' });
    env.OPENAI_API_KEY = 'the-first-key';
    expect((await models.provider('openai')).seen).toMatchObject({ state: 'worked' });
    expect(JSON.stringify(await settings.list('', z.unknown()))).not.toContain('the-first-key');
  });

  it('is not marked alike in two installations, so that nobody can try out which key it was', async () => {
    const server = await serve({ text: 'ok' }, { text: 'ok' });
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'weak' };
    const stored = async (secret: string) => {
      const { models, settings } = await open({ env, secret });
      await models.test('openai', { model: 'small', signal });
      const [seen] = await settings.list('', z.object({ keyMark: z.string() }));
      return seen?.value.keyMark ?? expect.fail();
    };
    const here = await stored('the secret of one installation');
    expect(await stored('the secret of another installation')).not.toBe(here);
  });
});

describe('an agent with a key of its own', () => {
  it('neither hides nor writes what was seen of the provider', async () => {
    const server = await serve({ text: 'ok' }, { text: 'ok' }, { status: 401 });
    const { models, settings } = await open({
      env: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'the-key-of-the-hub' },
    });
    await models.test('openai', { model: 'small', signal });
    const write = vi.spyOn(settings, 'write');
    await ask(models, 'openai/small', { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'the-key-of-the-agent' });
    expect((await models.provider('openai')).seen).toMatchObject({ state: 'worked' });
    await expect(ask(models, 'openai/small')).rejects.toThrow('rejected the key');
    await expect.poll(async () => (await models.provider('openai')).seen.state).toBe('failed');
    expect(write).toHaveBeenCalledOnce();
  });
});

describe('a price set in the app', () => {
  const price = { input: 1.25, output: 10 };

  it('applies at once in every process, and only to its model', async () => {
    const server = await serve();
    const { models, other } = await open();
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
    expect((await other.resolve('lab/org/large')).price).toBeUndefined();
    await models.apply({ kind: 'price', model: 'lab/org/large', price, version: null });
    await expect.poll(async () => (await other.resolve('lab/org/large')).price).toEqual(price);
    expect((await models.resolve('lab/small')).price).toBeUndefined();
    const [listed] = (await other.provider('lab')).prices;
    expect(listed).toMatchObject({ model: 'org/large', ...price, from: 'app' });
    await models.apply({ kind: 'price', model: 'lab/org/large', price: { ...price, cachedInput: 0.1 } });
    await expect.poll(async () => (await other.resolve('lab/org/large')).price).toMatchObject({ cachedInput: 0.1 });
    const late = { kind: 'price', model: 'lab/org/large', price: null, version: listed?.version } as const;
    await expect(models.apply(late)).rejects.toMatchObject({ code: 'CONFLICT' });
    await models.apply({ kind: 'price', model: 'lab/org/large', price: null });
    await expect.poll(async () => (await other.provider('lab')).prices).toEqual([]);
  });

  it('can be that of a built-in provider, and is forgotten with a provider that is removed', async () => {
    const { models } = await open({ env: { OPENAI_API_KEY: 'key-for-openai' } });
    await models.apply({ kind: 'price', model: 'openai/gpt-5', price });
    expect((await models.resolve('openai/gpt-5')).price).toEqual(price);
    expect(await models.provider('openai')).toMatchObject({ from: 'built-in', prices: [{ model: 'gpt-5' }] });
    await models.save('lab', { type: 'ollama' });
    await models.apply({ kind: 'price', model: 'lab/a', price });
    await models.remove('lab');
    await models.save('lab', { type: 'ollama' });
    expect((await models.provider('lab')).prices).toEqual([]);
    expect((await models.provider('openai')).prices).toHaveLength(1);
    await expect(models.apply({ kind: 'price', model: 'nothing/a', price })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('the default model', () => {
  it('is chosen in the app, for every process', async () => {
    const { models, other } = await open();
    expect(await models.defaultModel()).toEqual({ model: null, from: 'none', version: null });
    await models.setDefaultModel('ollama/qwen3');
    expect(await other.defaultModel()).toMatchObject({ model: 'ollama/qwen3', from: 'app' });
    await expect(models.setDefaultModel('nothing/x')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await models.setDefaultModel(null);
    expect(await other.defaultModel()).toMatchObject({ model: null });
  });

  it('is not replaced by somebody who has not seen it', async () => {
    const { models, other } = await open();
    const { version } = await models.defaultModel();
    await other.apply({ kind: 'default', model: 'ollama/theirs', version });
    await expect(models.apply({ kind: 'default', model: 'ollama/mine', version })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect((await models.defaultModel()).model).toBe('ollama/theirs');
  });
});

it('an outcome that cannot be stored is logged, and the request succeeds', async () => {
  const server = await serve({ text: 'ok' });
  const warned: unknown[] = [];
  const settings: SettingStore = {
    list: async () => [],
    read: async () => undefined,
    write: async () => {
      throw new HubError('UNAVAILABLE', 'The disk is full.');
    },
    delete: async () => false,
    change: () => Promise.reject(new Error('Nothing is changed.')),
    watch: () => () => {},
  };
  const logger = { ...silentLogger, warn: (...line: unknown[]) => void warned.push(line) };
  const providers = { lab: { type: 'openai-compatible' as const, baseUrl: server.url } };
  const models = createLanguageModels({ providers, lookUp: () => undefined, settings, logger });
  await ask(models, 'lab/small');
  await expect.poll(() => warned).toHaveLength(1);
  expect(warned[0]).toMatchObject([{ provider: 'lab' }, expect.stringContaining('was not stored')]);
});

/** As OpenRouter lists it. */
function price(dollarsPerMillion: number) {
  return { prompt: String(dollarsPerMillion / 2_000_000), completion: String(dollarsPerMillion / 1_000_000) };
}
