import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { nextChange, type TestClock, testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import { backupStore, restoreStore } from '../store/backup.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { ServerDefinitionInput } from './server-definition.ts';
import type { ServerMemoryChange, ToolSetting } from './server-store.ts';

const definition: ServerDefinitionInput = {
  transport: 'streamable-http',
  url: 'https://mcp.example.com/mcp',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference that is filled when the server is connected
  headers: { 'X-Team': '${TEAM}' },
  auth: { type: 'bearer', token: 'plain-token-of-the-server' },
};
const echo = seen('echo', 'hash-1');

describe.each(databaseKinds)('external servers in %s', (kind) => {
  let database: TestDatabase;
  let folder: string;
  let clock: TestClock;
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zoo-servers-'));
    database = await newTestDatabase(kind);
    clock = testClock();
    const open = () => openStore({ db: database.db, clock, logger: silentLogger, dataDir: folder });
    [store, other] = await Promise.all([open(), open()]);
  });
  afterEach(async () => {
    await Promise.all([store.close(), other.close()]);
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('a server is stored as entered and visible to every process until it is removed', async () => {
    expect(await other.servers.hasServers()).toBe(false);
    const saved = await store.servers.save('mail', definition, null);
    expect(saved).toEqual({ name: 'mail', definition, revision: expect.any(Number), updatedAt: clock.time });
    await vi.waitFor(async () => expect(await other.servers.hasServers()).toBe(true));
    expect(await other.servers.servers()).toEqual([saved]);
    expect(Object.keys((await other.servers.servers())[0]?.definition ?? {})).toEqual(Object.keys(definition));

    await other.servers.remove('mail');
    expect(await store.servers.servers()).toEqual([]);
    expect(await store.servers.hasServers()).toBe(false);
    await expect(store.servers.remove('mail')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no stored server "mail".',
    });
  });

  it('servers are sorted by name', async () => {
    for (const name of ['b', 'a', 'C']) await store.servers.save(name, definition, null);
    expect((await store.servers.servers()).map(({ name }) => name)).toEqual(['C', 'a', 'b']);
  });

  it('a save must name the current revision', async () => {
    const first = await store.servers.save('mail', definition, null);
    await expect(other.servers.save('mail', definition, null)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'A stored server named "mail" already exists.',
      details: { expected: null, current: first.revision },
    });
    const changed = { ...definition, enabled: false };
    const second = await other.servers.save('mail', changed, first.revision);
    expect(second.revision).toBeGreaterThan(first.revision);
    await expect(store.servers.save('mail', definition, first.revision)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `The server "mail" has changed: its newest revision is ${second.revision}, not ${first.revision}. Reload it and try again.`,
    });
    expect((await store.servers.servers())[0]?.definition).toEqual(changed);
    await store.servers.remove('mail');
    await expect(store.servers.save('mail', definition, second.revision)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The server "mail" has been removed.',
    });
    // A page that shows the removed server must not find the same revision again.
    const third = await store.servers.save('mail', definition, null);
    expect(third.revision).toBeGreaterThan(second.revision);
  });

  it('one of many concurrent saves of a revision wins', async () => {
    const { revision } = await store.servers.save('mail', definition, null);
    const saves = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? store : other).servers.save('mail', { ...definition, timeoutMs: 1000 + index }, revision),
    );
    const outcomes = await Promise.allSettled(saves);
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(won).toHaveLength(1);
    expect(await other.servers.servers()).toEqual(won);
  });

  it('a definition is encrypted: the database contains no secrets', async () => {
    await store.servers.save('mail', definition, null);
    await store.vault.set('provider:openai', 'plain-key-of-the-provider');
    const bytes = Buffer.concat(await everyByteOf(database));
    expect(bytes.includes('provider:openai')).toBe(true);
    for (const secret of ['plain-token-of-the-server', 'plain-key-of-the-provider', 'mcp.example.com']) {
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(Buffer.from(secret).toString('base64url').slice(2, -4))).toBe(false);
    }
  });

  it('one damaged definition does not hide the others, and can be removed', async () => {
    await store.servers.save('good', definition, null);
    await store.servers.save('bad', definition, null);
    const direct = await openDatabase(database.db, silentLogger);
    const rows = await direct.read((db) => db.selectFrom('servers').selectAll().execute());
    // Copied from another server: encrypted with the right key, but for another name.
    const moved = rows.find(({ name }) => name === 'good')?.definition ?? '';
    await direct.write(({ db }) =>
      db.updateTable('servers').set({ definition: moved }).where('name', '=', 'bad').execute(),
    );
    await direct.close();
    expect((await store.servers.servers()).map(({ name }) => name)).toEqual(['good']);
    await store.servers.remove('bad');
  });

  it('a restore gives a server a new revision, and every process notices', async () => {
    const saved = await store.servers.save('mail', definition, null);
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: database.db, file });
    const changed = await store.servers.save('mail', { ...definition, enabled: false }, saved.revision);
    const seen: unknown[] = [];
    const stop = other.servers.watch(() => {
      other.servers.servers().then(
        ([server]) => seen.push(server?.definition),
        (error: unknown) => seen.push(error),
      );
    });
    await restoreStore({ db: database.db, file, force: true });
    await vi.waitFor(() => expect(seen.at(-1)).toEqual(definition));
    stop();
    for (const { revision } of [saved, changed]) {
      await expect(other.servers.save('mail', definition, revision)).rejects.toMatchObject({ code: 'CONFLICT' });
    }
  });

  it('pins, held tools and settings are stored for every server, including those of the config', async () => {
    expect(await store.servers.memory('files')).toEqual({ pins: [], held: [], settings: [], listedAt: null });
    const setting: ToolSetting = {
      tool: 'echo',
      enabled: false,
      alias: 'say',
      description: null,
      requiresApproval: true,
    };
    await store.servers.remember('files', listed({ accept: [echo], held: [seen('new', 'hash-2')] }));
    await store.servers.setTool('files', { ...setting, enabled: true, alias: null });
    await store.servers.setTool('files', setting);
    await store.servers.remember('others', listed({ accept: [seen('echo', 'other')] }));
    expect(await other.servers.memory('files')).toEqual({
      pins: [{ ...echo, acceptedAt: clock.time }],
      held: [{ ...seen('new', 'hash-2'), seenAt: clock.time }],
      settings: [setting],
      listedAt: clock.time,
    });
    expect(JSON.stringify((await other.servers.memory('files')).pins[0]?.definition)).toBe(
      JSON.stringify(echo.definition),
    );

    await other.servers.forget('files');
    expect(await store.servers.memory('files')).toEqual({ pins: [], held: [], settings: [], listedAt: null });
    expect((await store.servers.memory('others')).pins).toHaveLength(1);
  });

  it('a list replaces held tools and accepted pins, and drops tools that are gone', async () => {
    const start = clock.time;
    const accept = [echo, seen('gone', 'g'), seen('same', 's')];
    await store.servers.remember('files', listed({ accept, held: [seen('waits', 'w'), seen('past', 'p')] }));
    clock.time += 1000;
    const held = [seen('waits', 'w'), seen('changed', 'c')];
    await other.servers.remember('files', {
      ...listed({ accept: [seen('echo', 'hash-9'), seen('same', 's')], drop: ['gone', 'never'], held }),
      isListed: false,
    });
    const memory = await store.servers.memory('files');
    expect(memory.pins).toEqual([
      { ...seen('echo', 'hash-9'), acceptedAt: clock.time },
      { ...seen('same', 's'), acceptedAt: start },
    ]);
    expect(memory.held).toEqual([
      { ...seen('changed', 'c'), seenAt: clock.time },
      { ...seen('waits', 'w'), seenAt: start },
    ]);
    expect(memory.listedAt).toBe(start);
  });

  it('removing a server deletes everything stored about its tools', async () => {
    await store.servers.save('mail', definition, null);
    await store.servers.remember('mail', listed({ accept: [echo], held: [seen('new', 'n')] }));
    await store.servers.remove('mail');
    expect(await store.servers.memory('mail')).toEqual({ pins: [], held: [], settings: [], listedAt: null });
  });

  it('accepts whatever a server lists: 5,000 tools, unusual names, duplicate names', async () => {
    const names = ['\0', '\ud800', '"quoted"', 'x'.repeat(100_000), '', 'Ünïcode', ...many(5000)];
    const accept = names.map((name) => seen(name, `hash of ${name.length}`));
    await store.servers.remember('wild', listed({ accept: [...accept, seen('tool-1', 'last')] }));
    const { pins } = await other.servers.memory('wild');
    expect(new Set(pins.map(({ tool }) => tool))).toEqual(new Set(names));
    expect(pins).toHaveLength(names.length);
    expect(pins.find(({ tool }) => tool === 'tool-1')?.hash).toBe('last');
    for (const pin of pins) expect(pin.definition.name).toBe(pin.tool);
    await store.servers.remember('wild', listed({ drop: names }));
    expect((await other.servers.memory('wild')).pins).toEqual([]);
  });

  it('a pending sign-in can be taken once, by any process, within ten minutes', async () => {
    await store.servers.addSignIn('hash-1', 'sealed 1');
    const takes = await Promise.all([store, other, store].map(({ servers }) => servers.takeSignIn('hash-1')));
    expect(takes.filter((taken) => taken !== undefined)).toEqual(['sealed 1']);
    expect(await other.servers.takeSignIn('unknown')).toBeUndefined();

    await store.servers.addSignIn('hash-2', 'sealed 2');
    clock.time += 10 * 60_000;
    // PostgreSQL has a clock of its own, which the clock of one process does not change.
    expect(await other.servers.takeSignIn('hash-2')).toBe(kind === 'sqlite' ? undefined : 'sealed 2');
  });

  it('expired sign-ins are refused and deleted, and the oldest make room for new ones', async () => {
    for (let number = 0; number < 102; number += 1) await store.servers.addSignIn(`hash-${number}`, 'sealed');
    const direct = await openDatabase(database.db, silentLogger);
    const count = () => direct.read((db) => db.selectFrom('pending_sign_ins').select('state_hash').execute());
    expect(await count()).toHaveLength(100);
    await direct.write(({ db }) => db.updateTable('pending_sign_ins').set({ expires_at: 1 }).execute());
    expect(await store.servers.takeSignIn('hash-101')).toBeUndefined();
    await store.servers.addSignIn('hash-new', 'sealed');
    expect(await count()).toEqual([{ state_hash: 'hash-new' }]);
    await direct.close();
  });

  it('another process notices each change, and nothing when the list is unchanged', async () => {
    const changes: [string, () => Promise<unknown>][] = [
      ['save', () => store.servers.save('mail', definition, null)],
      ['first list', () => store.servers.remember('mail', listed({}))],
      ['accept', () => store.servers.remember('mail', listed({ accept: [echo] }))],
      ['setTool', () => store.servers.setTool('mail', { ...noSetting, tool: 'echo' })],
      ['forget', () => store.servers.forget('mail')],
      ['remove', () => store.servers.remove('mail')],
    ];
    for (const [what, change] of changes) {
      const heard = nextChange((onChange) => other.servers.watch(() => onChange(what)));
      await change();
      expect(await heard).toBe(what);
    }

    await store.servers.remember('mail', listed({ accept: [echo, seen('twice', '1'), seen('twice', '2')] }));
    const own = vi.fn();
    const stop = store.servers.watch(own);
    clock.time += 1000;
    await store.servers.remember('mail', listed({ accept: [echo, seen('twice', '1'), seen('twice', '2')] }));
    await store.brain.create('a', { type: 'note', content: 'something else' });
    expect(own).not.toHaveBeenCalled();
    expect((await other.servers.memory('mail')).listedAt).toBe(clock.time);
    await store.servers.setTool('mail', { ...noSetting, tool: 'echo' });
    await vi.waitFor(() => expect(own).toHaveBeenCalledTimes(1));
    stop();
  });
});

const noSetting = { enabled: true, alias: null, description: null, requiresApproval: null };

function seen(tool: string, hash: string) {
  return { tool, hash, definition: { name: tool, zeta: 1, inputSchema: { type: 'object' as const, b: 1, a: 2 } } };
}

function listed(change: Partial<ServerMemoryChange>): ServerMemoryChange {
  return { accept: [], drop: [], held: [], isListed: true, ...change };
}

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `tool-${index}`);
}

/** SQLite: the file, its WAL and its index. PostgreSQL: every row of all our tables. */
async function everyByteOf({ db }: TestDatabase): Promise<Buffer[]> {
  if ('path' in db) {
    const folder = join(db.path, '..');
    const files = await readdir(folder);
    expect(files).toContain('zoo.db-wal');
    return Promise.all(files.map((file) => readFile(join(folder, file))));
  }
  const database = await openDatabase(db, silentLogger);
  const tables = await database.read((each) => each.introspection.getTables());
  const rows = await Promise.all(
    tables.map(({ name }) =>
      database.read((each) =>
        each
          .selectFrom(name as 'servers')
          .selectAll()
          .execute(),
      ),
    ),
  );
  await database.close();
  return rows.map((each) => Buffer.from(JSON.stringify(each)));
}
