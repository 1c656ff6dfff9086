import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { newTestDatabase } from '../../test/support/databases/test-database.ts';
import { startModelServer, type TestModelServer } from '../../test/support/models/model-server.ts';
import { freePort } from '../../test/support/servers/free-port.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { openStore } from '../store/open-store.ts';
import { createLanguageModels } from './create-language-models.ts';
import type { LanguageModels } from './language-models.ts';

const key = 'the-key-of-the-lab';
const { signal } = new AbortController();
/** Nothing listens there. */
const dead = `http://127.0.0.1:${await freePort()}/v1`;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(env: Record<string, string> = {}): Promise<{ server: TestModelServer; models: LanguageModels }> {
  const server = await startModelServer({ models: ['small', 'large'], key });
  const { db, remove } = await newTestDatabase('sqlite');
  const store = await openStore({ db, clock: systemClock, logger: silentLogger, secret: 'long enough for this test' });
  closers.push(
    () => server.close(),
    () => store.close(),
    remove,
  );
  return { server, models: createLanguageModels({ providers: {}, lookUp: (name) => env[name], ...store }) };
}

const compatible = (baseUrl: string, apiKey = key) =>
  ({ kind: 'provider', input: { type: 'openai-compatible', baseUrl, key: apiKey, version: null } }) as const;

describe('connecting a new provider', () => {
  it('saves it with its key once it answers', async () => {
    const { server, models } = await open();
    const connection = await models.connect('lab', compatible(server.url), { signal });
    expect(connection).toMatchObject({ isSaved: true, failure: null, listed: { models: ['large', 'small'] } });
    expect(connection.provider).toMatchObject({ key: 'vault', seen: { state: 'reached', models: 2 } });
  });

  it.each([
    ['a wrong key', (url: string) => compatible(url, 'a-wrong-key'), 'key'],
    ['an address where nothing answers', () => compatible(dead), 'unreachable'],
    ['another service', (url: string) => compatible(`${url}/elsewhere`), 'address'],
  ])('keeps nothing of one with %s', async (_, trial, reason) => {
    const { server, models } = await open();
    const before = await models.providers();
    const connection = await models.connect('lab', trial(server.url), { signal });
    expect(connection).toMatchObject({ isSaved: false, provider: null, listed: null, failure: { reason } });
    expect(await models.providers()).toEqual(before);
    // Nor its key, which a later provider of this name would get.
    await models.save('lab', { type: 'openai-compatible', baseUrl: server.url });
    expect(await models.provider('lab')).toMatchObject({ key: 'not-needed' });
  });

  it('refuses what saving would refuse, and asks nobody', async () => {
    const { server, models } = await open();
    for (const [name, trial] of [
      ['no name', compatible(server.url)],
      ['lab', compatible('ftp://x')],
      ['lab', compatible(server.url, 'two words')],
    ] as const)
      await expect(models.connect(name, trial, { signal })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(server.requests).toEqual([]);
  });
});

describe('changing a provider', () => {
  it('leaves it as it was if it does not answer any more', async () => {
    const { server, models } = await open();
    await models.connect('lab', compatible(server.url), { signal });
    const before = await models.provider('lab');
    const moved = { ...compatible(dead).input, version: before.version };
    expect(await models.connect('lab', { kind: 'provider', input: moved }, { signal })).toMatchObject({
      isSaved: false,
      provider: before,
    });
    const replaced = { kind: 'key', key: 'a-wrong-key', baseUrl: server.url } as const;
    expect(await models.connect('lab', replaced, { signal })).toMatchObject({
      isSaved: false,
      failure: { reason: 'key' },
    });
    expect(await models.provider('lab')).toEqual(before);
    expect((await models.test('lab', { model: null, signal })).failure).toBeNull();
  });

  it('keeps its saved key at the same address', async () => {
    const { server, models } = await open();
    await models.connect('lab', compatible(server.url), { signal });
    const { key: _key, ...input } = compatible(server.url).input;
    const again = { kind: 'provider', input: { ...input, version: undefined } } as const;
    expect(await models.connect('lab', again, { signal })).toMatchObject({ isSaved: true, failure: null });
  });

  it('saves a key for a built-in provider once it answers, and sends it only to the address that the user saw', async () => {
    const { server, models } = await open({ OPENAI_COMPATIBLE_BASE_URL: '' });
    const elsewhere = { kind: 'key', key, baseUrl: server.url } as const;
    await expect(models.connect('openai', elsewhere, { signal })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(models.connect('nothing', elsewhere, { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(server.requests).toEqual([]);
  });

  it.each(['not-the-key-of-the-lab', key])(
    'refuses a key while one of the environment takes precedence',
    async (entered) => {
      const env = { OPENAI_COMPATIBLE_BASE_URL: '', OPENAI_COMPATIBLE_API_KEY: key };
      const { server, models } = await open(env);
      env.OPENAI_COMPATIBLE_BASE_URL = server.url;
      await expect(
        models.connect('openai-compatible', { kind: 'key', key: entered }, { signal }),
      ).rejects.toMatchObject({
        code: 'CONFLICT',
        message:
          'Provider "openai-compatible" uses the key from OPENAI_COMPATIBLE_API_KEY in the environment, which takes precedence over an entered one. Remove it there first, or leave the key empty.',
      });
      const input = { type: 'openai-compatible', key: entered } as const;
      await expect(models.connect('openai-compatible', { kind: 'provider', input }, { signal })).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      expect(server.requests).toEqual([]);
      // It goes to no address of the app, so that a key for it can be entered.
      const elsewhere = compatible(server.url);
      const connection = await models.connect('openai-compatible', elsewhere, { signal });
      expect(connection).toMatchObject({ isSaved: true, provider: { key: 'vault' } });
    },
  );

  it('binds a key to the address that was tried, not to one that it has got since', async () => {
    const { models } = await open();
    const slow = createServer(async (_, response) => {
      await models.save('lab', { type: 'openai-compatible', baseUrl: dead });
      response.setHeader('content-type', 'application/json').end('{"object":"list","data":[{"id":"small"}]}');
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => slow.close(() => resolve())));
    const baseUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/v1`;
    await models.save('lab', { type: 'openai-compatible', baseUrl });
    await expect(models.connect('lab', { kind: 'key', key }, { signal })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await models.provider('lab')).toMatchObject({ baseUrl: dead, key: 'not-needed' });
  });
});
