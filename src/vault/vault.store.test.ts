import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { testClock } from '../../test/support/databases/test-store.ts';
import { installationKeys, type KeyPlaces } from '../base/installation-keys.ts';
import { silentLogger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import type { Message } from '../engine/message.ts';
import type { ServerDefinitionInput } from '../servers/server-definition.ts';
import { backupStore, restoreStore } from '../store/backup.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { StoredVault } from './vault.store.ts';

const secret = 'a secret of the whole team';
const plain = 'words that nobody else may read';
const server: ServerDefinitionInput = { transport: 'stdio', command: 'serve' };

let folder: string;
let databases: TestDatabase[] = [];
let opened: Store[] = [];
const clock = testClock();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-vault-'));
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await Promise.all(databases.map((database) => database.remove()));
  opened = [];
  databases = [];
  await rm(folder, { recursive: true, force: true });
});

async function newDatabase(kind: (typeof databaseKinds)[number]): Promise<TestDatabase> {
  const database = await newTestDatabase(kind);
  databases.push(database);
  return database;
}

async function open({ db }: Pick<TestDatabase, 'db'>, place: KeyPlaces): Promise<Store> {
  const store = await openStore({ db, clock, logger: silentLogger, ...place });
  opened.push(store);
  return store;
}

describe.each(databaseKinds)('the vault in %s', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await newDatabase(kind);
  });

  it('stores values for every process, and lists only names and times', async () => {
    const [store, other] = [await open(database, { secret }), await open(database, { secret })];
    await store.vault.set('provider:openai', 'first');
    clock.time += 5;
    await other.vault.set('provider:openai', 'sk-Ünïcode\n\0');
    await store.vault.set('provider_openai', '');
    await store.vault.set('oauth:mail', 'tokens');
    expect(await store.vault.get('provider:openai')).toBe('sk-Ünïcode\n\0');
    expect(await other.vault.get('provider_openai')).toBe('');
    expect(await other.vault.get('provider:OpenAI')).toBeUndefined();
    expect(await store.vault.names('provider:')).toEqual([{ name: 'provider:openai', updatedAt: clock.time }]);
    expect((await store.vault.names('')).map(({ name }) => name)).toEqual([
      'oauth:mail',
      'provider:openai',
      'provider_openai',
    ]);
    await other.vault.set('oauth:mail', null);
    await other.vault.set('oauth:mail', null);
    expect(await store.vault.get('oauth:mail')).toBeUndefined();
  });

  it('the key file is created with the first secret, for its owner only', async () => {
    const dataDir = join(folder, 'data');
    const store = await open(database, { dataDir });
    expect(await store.vault.get('a')).toBeUndefined();
    expect(await store.vault.names('')).toEqual([]);
    await store.vault.set('a', null);
    expect(await store.servers.servers()).toEqual([]);
    await expect(readdir(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });

    await store.vault.set('a', 'value');
    expect(await readdir(dataDir)).toEqual(['secret.key']);
    const { mode, size } = await stat(join(dataDir, 'secret.key'));
    expect([(mode & 0o777).toString(8), size]).toEqual(['600', 32]);
    expect(await (await open(database, { dataDir })).vault.get('a')).toBe('value');
  });

  it('AGENT_ZOO_SECRET needs no file, and gives the same key on every machine', async () => {
    const [here, there] = [join(folder, 'here'), join(folder, 'there')];
    await (await open(database, { secret, dataDir: here })).vault.set('a', 'value');
    // A secret that is read from a file ends with a line break.
    expect(await (await open(database, { secret: `${secret}\n`, dataDir: there })).vault.get('a')).toBe('value');
    await expect(readdir(here)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('secrets sealed with the key file stay readable after AGENT_ZOO_SECRET is set', async () => {
    await (await open(database, { dataDir: folder })).vault.set('a', 'value');
    const store = await open(database, { secret, dataDir: folder });
    expect(await store.vault.get('a')).toBe('value');
    await store.vault.set('b', 'later');
    expect(await (await open(database, { dataDir: folder })).vault.get('b')).toBe('later');
  });

  it.each([
    ['no secret', {}, 'AGENT_ZOO_SECRET, which is not set. Set the value with which they were saved'],
    ['another secret', { secret: 'a secret of somebody else' }, 'another AGENT_ZOO_SECRET. Set the value'],
    ['a short secret', { secret: 'too short' }, 'AGENT_ZOO_SECRET is too short: it has 9 characters'],
  ])(
    'with %s, a value that was sealed with a secret cannot be read; the error says what would work, and nothing is damaged',
    async (_, settings, sentence) => {
      await fill(await open(database, { secret }));
      const before = await contentOf(database);
      await expectRefused(await open(database, { dataDir: folder, ...settings }), sentence);
      expect(await contentOf(database)).toEqual(before);
      expect(await readdir(folder)).toEqual([]);
      expect(await (await open(database, { secret })).vault.get('a')).toBe(plain);
    },
  );

  it('if the key file is missing, different or damaged, the error says what to do', async () => {
    const place = { dataDir: join(folder, 'data') };
    const file = join(place.dataDir, 'secret.key');
    await fill(await open(database, place));
    const before = await contentOf(database);
    const bytes = await readFile(file);

    await rm(file);
    await expectRefused(await open(database, place), `and here ${file} is not there. Copy the file from there`);
    await expectRefused(await open(database, {}), 'need one AGENT_ZOO_SECRET, the same on all of them');
    expect(await readdir(place.dataDir)).toEqual([]);
    await writeFile(file, Buffer.alloc(32));
    await expectRefused(await open(database, place), `${file} holds another key`);
    await writeFile(file, bytes.subarray(1));
    await expectRefused(await open(database, place), `${file} is damaged: it has 31 bytes, not 32`);
    await rm(file);
    await mkdir(file);
    await expectRefused(await open(database, place), `${file} could not be read (EISDIR)`);

    expect(await contentOf(database)).toEqual(before);
    await rm(file, { recursive: true });
    await writeFile(file, bytes);
    expect(await (await open(database, place)).vault.get('a')).toBe(plain);
  });

  it('nothing is sealed without a secret and a usable folder', async () => {
    await expect((await open(database, {})).vault.set('a', 'value')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Set AGENT_ZOO_SECRET'),
    });
    await writeFile(join(folder, 'taken'), '');
    const store = await open(database, { dataDir: join(folder, 'taken') });
    await expect(store.vault.set('a', 'value')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('could not be'),
    });
    expect(await store.vault.names('')).toEqual([]);
  });

  it('after losing the key, you can delete the sealed secrets and start with a new key', async () => {
    await fill(await open(database, { secret }));
    const store = await open(database, { dataDir: folder });
    await store.vault.set('a', null);
    await expect(store.vault.set('b', 'value')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await store.servers.remove('server');
    await store.vault.set('b', 'value');
    expect(await store.vault.get('b')).toBe('value');
    await expect((await open(database, { secret })).vault.get('b')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('if two processes start with different keys, one wins and the other gets an error', async () => {
    const stores = [await open(database, { secret }), await open(database, { secret: 'a secret of somebody else' })];
    const outcomes = await Promise.allSettled(stores.map((store, index) => store.vault.set(`${index}`, 'value')));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(await stores[winner]?.vault.names('')).toMatchObject([{ name: `${winner}` }]);
    await expect(stores[1 - winner]?.vault.set('c', 'value')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('a value is not saved if its key was replaced while it was sealed', async () => {
    const place = { clock, secret };
    const store = await open(database, { dataDir: folder });
    const direct = await openDatabase(database.db, silentLogger);
    let meanwhile: (() => Promise<void>) | undefined;
    const slow: Database = Object.assign(Object.create(direct), {
      write: async (run: Parameters<Database['write']>[0]) => {
        await meanwhile?.();
        return direct.write(run);
      },
      read: (run: Parameters<Database['read']>[0]) => direct.read(run),
    });
    const vault = new StoredVault({ database: slow, clock: place.clock, installationKeys: installationKeys(place) });
    await vault.set('a', 'value');
    meanwhile = async () => {
      await store.vault.set('a', null);
      await store.vault.set('b', 'sealed with the file');
    };
    await expect(vault.set('c', 'value')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('secret.key'),
    });
    expect((await store.vault.names('')).map(({ name }) => name)).toEqual(['b']);
    await direct.close();
  });

  it('a value that was changed, cut, moved or has another version cannot be opened', async () => {
    const { vault } = await open(database, { secret });
    await vault.set('a', 'one value');
    await vault.set('b', 'another value');
    const direct = await openDatabase(database.db, silentLogger);
    const rows = await direct.read((db) => db.selectFrom('vault_secrets').selectAll().orderBy('name').execute());
    const sealed = rows[0]?.sealed ?? '';
    const changed = (index: number) =>
      sealed.slice(0, index) + (sealed[index] === 'A' ? 'B' : 'A') + sealed.slice(index + 1);
    for (const wrong of [
      ...Array.from({ length: 12 }, (_, index) => changed(3 + 4 * index)),
      sealed.slice(0, -4),
      sealed.replace('v1.', 'v2.'),
      sealed.slice(3),
      'v1.',
      '',
      rows[1]?.sealed ?? '',
    ]) {
      await direct.write(({ db }) =>
        db.updateTable('vault_secrets').set({ sealed: wrong }).where('name', '=', 'a').execute(),
      );
      await expect(vault.get('a')).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('was changed or damaged. Enter it again.'),
      });
    }
    await direct.close();
    expect(await vault.get('b')).toBe('another value');
    await vault.set('a', 'entered again');
    expect(await vault.get('a')).toBe('entered again');
  });

  it('a value sealed for another table opens only under its name, and looks different each time', async () => {
    const { vault } = await open(database, { secret });
    const [one, other] = [await vault.seal('text', 'name'), await vault.seal('text', 'name')];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^v1\.[\w-]+$/);
    expect([await vault.open(one, 'name'), await vault.open(other, 'name')]).toEqual(['text', 'text']);
    await expect(vault.open(one, 'other name')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each(databaseKinds)('a backup moves sealed values unchanged to %s, where they need their key', async (target) => {
    const store = await open(database, { secret });
    await fill(store);
    const older = { ...pin, hash: 'older', acceptedAt: 1 };
    const list = { id: 'l', version: { name: 's', version: '1' }, tools: new Map([['t', 'older']]), listedAt: 1 };
    await store.servers.change('server', (memory) => ({
      ...memory,
      pins: [older, { ...pin, acceptedAt: 2 }],
      held: [{ ...pin, hash: 'held', seenAt: 3 }],
      lists: [list],
      listedAt: 4,
    }));
    await store.servers.setTool('server', setting);
    await store.runs.begin({ id: 'r', agentId: 'a', model: 'm', title: 't', messages: [message, message] });
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: database.db, file });
    expect((await readFile(file)).includes(plain)).toBe(false);

    const copy = await newDatabase(target);
    // A process that has already used its own key.
    const running = await open(copy, { dataDir: folder });
    await running.vault.set('own', 'value');
    await expect(restoreStore({ db: copy.db, file })).rejects.toMatchObject({ code: 'CONFLICT' });
    const { keptFile } = await restoreStore({ db: copy.db, file, force: true });
    await rm(keptFile ?? '');
    await expectRefused(running, 'AGENT_ZOO_SECRET, which is not set');
    const restored = await open(copy, { secret, dataDir: folder });
    expect(await restored.vault.get('a')).toBe(plain);
    const [before] = await store.servers.servers();
    expect(await restored.servers.servers()).toEqual([{ ...before, revision: expect.any(Number) }]);
    expect(await restored.servers.memory('server')).toEqual(await store.servers.memory('server'));
    // Its process does not use this database.
    expect(await restored.runs.get('r')).toEqual({ ...(await store.runs.get('r')), status: 'interrupted' });
    expect((await restored.runs.get('r')).messages).toEqual([message, message]);
  });
});

const pin = { tool: 't', hash: 'h', definition: { name: 't', inputSchema: { type: 'object' as const } } };
const message: Message = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const setting = { tool: 't', enabled: false, alias: 'u', description: 'd', requiresApproval: false };

async function fill(store: Store): Promise<void> {
  await store.vault.set('a', plain);
  await store.servers.save('server', server, null);
}

async function expectRefused({ vault, servers }: Store, sentence: string): Promise<void> {
  const refused = { code: 'UNAVAILABLE', message: expect.stringContaining(sentence) };
  for (const attempt of [
    () => vault.get('a'),
    () => vault.set('c', 'value'),
    () => vault.seal('text', 'name'),
    () => servers.servers(),
    () => servers.save('another', server, null),
  ]) {
    await expect(attempt()).rejects.toMatchObject(refused);
  }
}

async function contentOf({ db }: TestDatabase) {
  const database = await openDatabase(db, silentLogger);
  const content = await database.read(async (each) => ({
    keys: await each.selectFrom('vault_keys').selectAll().execute(),
    secrets: await each.selectFrom('vault_secrets').selectAll().execute(),
    servers: await each.selectFrom('servers').selectAll().execute(),
  }));
  await database.close();
  return content;
}
