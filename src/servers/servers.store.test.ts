import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endedHolder } from '../../test/support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { nextChange, type TestClock, testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Write } from '../db/database.ts';
import { backupStore, restoreStore } from '../store/backup.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { takePendingSignIn } from './pending-sign-ins.store.ts';
import type { ServerDefinitionInput } from './server-definition.ts';
import { noMemory, type ServerMemory, type ToolList, type ToolSetting } from './server-store.ts';

const definition: ServerDefinitionInput = {
  transport: 'streamable-http',
  url: 'https://mcp.example.com/mcp',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference that is filled when the server is connected
  headers: { 'X-Team': '${TEAM}' },
  auth: { type: 'bearer', token: 'plain-token-of-the-server' },
};

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
    expect(await store.servers.memory('files')).toEqual(noMemory);
    const setting: ToolSetting = {
      tool: 'echo',
      enabled: false,
      alias: 'say',
      description: null,
      requiresApproval: true,
    };
    const files = { pins: [pin('echo', 'hash-1')], held: [held('new', 'hash-2')], lists: [list('new', 'hash-2')] };
    await put(store, 'files', files);
    await store.servers.setTool('files', { ...setting, enabled: true, alias: null });
    await store.servers.setTool('files', setting);
    await put(store, 'others', { pins: [pin('echo', 'other')] });
    expect(await other.servers.memory('files')).toEqual({ ...noMemory, ...files, settings: [setting], listedAt: 1 });
    expect(JSON.stringify((await other.servers.memory('files')).pins[0]?.definition)).toBe(
      JSON.stringify(pin('echo', 'hash-1').definition),
    );

    await other.servers.forget('files');
    expect(await store.servers.memory('files')).toEqual(noMemory);
    expect((await store.servers.memory('others')).pins).toHaveLength(1);
  });

  it('a change writes what differs: definitions move between accepted, held and accepted last', async () => {
    const lists = [list('echo', 'h1'), list('echo', 'h2')];
    const steps: Partial<ServerMemory>[] = [
      { pins: [pin('echo', 'h1'), pin('gone', 'g')], held: [held('echo', 'h2')], lists },
      { pins: [pin('echo', 'h1'), pin('echo', 'h2', 5)], held: [] },
      { pins: [pin('echo', 'h2', 5), pin('echo', 'h1', 6)] },
      { pins: [pin('echo', 'h1', 6)], held: [held('echo', 'h2'), held('echo', 'h3')], lists: lists.slice(1) },
      { pins: [], held: [] },
    ];
    let expected: ServerMemory = { ...noMemory, listedAt: 1 };
    for (const step of steps) {
      expected = { ...expected, ...step };
      await put(store, 'files', step);
      const memory = await other.servers.memory('files');
      expect({ ...memory, pins: sorted(memory.pins), held: sorted(memory.held), lists: sorted(memory.lists) }).toEqual({
        ...expected,
        pins: sorted(expected.pins),
        held: sorted(expected.held),
        lists: sorted(expected.lists),
      });
      expect(memory.pins.findLast(({ tool }) => tool === 'echo')).toEqual(
        expected.pins.findLast(({ tool }) => tool === 'echo'),
      );
    }
  });

  it('of many first lists, one sees that nothing was listed before', async () => {
    const firsts: boolean[] = [];
    const changes = Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? store : other).servers.change('files', (memory) => {
        firsts[index] = memory.listedAt === null;
        return { ...memory, pins: [...memory.pins, pin(`tool-${index}`, 'h')], listedAt: index + 1 };
      }),
    );
    await Promise.all(changes);
    expect(firsts.filter(Boolean)).toHaveLength(1);
    expect((await store.servers.memory('files')).pins).toHaveLength(8);
  });

  it('knows which running process sees which list, and forgets those that have ended', async () => {
    const lists = [list('echo', 'h1'), list('echo', 'h2')];
    const [one, two] = lists.map(({ id }) => id);
    const replica = (holder: string, listId = '') => ({ holder, listId, seenAt: 1, isSilent: false });
    await put(store, 'files', { lists, replicas: [replica(store.holder, one), replica(endedHolder(), two)] });
    await other.servers.change('files', (memory) => ({
      ...memory,
      replicas: [...memory.replicas, replica(other.holder, two)],
    }));
    const { replicas } = await store.servers.memory('files');
    expect(new Map(replicas.map((each) => [each.holder, each.listId]))).toEqual(
      new Map([
        [store.holder, one],
        [other.holder, two],
      ]),
    );
    expect(replicas.every(({ isSilent }) => !isSilent)).toBe(true);
    await other.close();
    const left = (await store.servers.memory('files')).replicas.filter(({ isSilent }) => !isSilent);
    expect(left.map(({ holder }) => holder)).toEqual([store.holder]);
    other = await openStore({ db: database.db, clock, logger: silentLogger, dataDir: folder });
  });

  describe('beside a process of the previous release', () => {
    /** What that release writes: one pin and one held definition for each tool, and no versions. */
    async function old(run: (db: Write['db']) => Promise<unknown>): Promise<void> {
      const direct = await openDatabase(database.db, silentLogger);
      await direct.write(async (write) => {
        await write.bump('servers');
        await run(write.db);
      });
      await direct.close();
    }
    const row = (tool: string, hash: string) => ({
      server: 'files',
      tool,
      hash,
      definition: JSON.stringify(definitionOf(tool)),
    });
    const listedBefore = async (db: Write['db']) => {
      await db.insertInto('server_lists').values({ server: 'files', listed_at: 7, memory: null }).execute();
      const pins = [row('echo', 'h1'), row('away', 'a'), row('same', 's')];
      await db
        .insertInto('tool_pins')
        .values(pins.map((each) => ({ ...each, accepted_at: 1 })))
        .execute();
      const waiting = [row('echo', 'h2'), row('away', ''), row('new', 'n')];
      await db
        .insertInto('held_tools')
        .values(waiting.map((each) => ({ ...each, seen_at: 1 })))
        .execute();
    };

    it('what it stored counts as a list without a version, until a list replaces it', async () => {
      await old(listedBefore);
      const memory = await store.servers.memory('files');
      expect(memory.listedAt).toBe(7);
      expect(memory.lists).toEqual([
        {
          id: '',
          version: null,
          listedAt: 7,
          tools: new Map([
            ['echo', 'h2'],
            ['new', 'n'],
            ['same', 's'],
          ]),
        },
      ]);
      expect(memory.held.map(({ tool, hash }) => [tool, hash])).toEqual([
        ['echo', 'h2'],
        ['new', 'n'],
      ]);
      await put(store, 'files', { ...memory, lists: [list('echo', 'h1')], held: [] });
      expect(await other.servers.memory('files')).toMatchObject({ lists: [list('echo', 'h1')], held: [] });
      expect((await other.servers.memory('files')).pins).toHaveLength(3);
    });

    it('it reads what is accepted here, and what it accepts counts here', async () => {
      await old(listedBefore);
      const before = await store.servers.memory('files');
      await put(store, 'files', { ...before, pins: [...before.pins, pin('echo', 'h2')], lists: [list('echo', 'h2')] });
      await old(async (db) => {
        const pins = await db.selectFrom('tool_pins').select(['tool', 'hash']).where('tool', '=', 'echo').execute();
        expect(pins).toEqual([{ tool: 'echo', hash: 'h2' }]);
        const waiting = await db.selectFrom('held_tools').select('tool').orderBy('tool').execute();
        expect(waiting).toEqual([{ tool: 'away' }, { tool: 'new' }]);
        await db
          .insertInto('tool_pins')
          .values({ ...row('new', 'n'), accepted_at: 9 })
          .execute();
      });
      const { pins } = await other.servers.memory('files');
      expect(pins.filter(({ tool }) => tool === 'new' || tool === 'echo').map(({ hash }) => hash)).toEqual([
        'h1',
        'h2',
        'n',
      ]);
    });

    it('a server that it removed leaves nothing accepted for the next one of its name', async () => {
      const pins = [pin('echo', 'h1'), pin('echo', 'h2')];
      await put(store, 'files', { pins, held: [held('bad', 'b')], lists: [list('echo', 'h1')] });
      await old(async (db) => {
        for (const table of ['tool_pins', 'held_tools', 'tool_settings', 'server_lists'] as const)
          await db.deleteFrom(table).where('server', '=', 'files').execute();
      });
      expect(await store.servers.memory('files')).toEqual(noMemory);
      await old((db) =>
        db.insertInto('server_lists').values({ server: 'files', listed_at: 8, memory: null }).execute(),
      );
      expect(await store.servers.memory('files')).toEqual({ ...noMemory, listedAt: 8 });
      await put(store, 'files', { pins: [pin('other', 'o')], lists: [list('other', 'o')] });
      const direct = await openDatabase(database.db, silentLogger);
      expect(await direct.read((db) => db.selectFrom('tool_definitions').selectAll().execute())).toEqual([]);
      await direct.close();
    });
  });

  it('removing a server deletes everything stored about its tools', async () => {
    await store.servers.save('mail', definition, null);
    await put(store, 'mail', { pins: [pin('echo', 'h')], held: [held('new', 'n')], lists: [list('new', 'n')] });
    await store.servers.remove('mail');
    expect(await store.servers.memory('mail')).toEqual(noMemory);
  });

  it('accepts whatever a server lists: 5,000 tools, unusual names, duplicate names', async () => {
    const names = ['\0', '\ud800', '"quoted"', 'x'.repeat(100_000), '', 'Ünïcode', ...many(5000)];
    const pins = names.map((name) => pin(name, `hash of ${name.length}`));
    const older = names.slice(0, 8).map((name) => pin(name, 'older'));
    const tools = new Map(names.map((name) => [name, `hash of ${name.length}`]));
    const wild = { id: 'wild', version: { name: '\0', version: '\ud800'.toWellFormed() }, tools, listedAt: 1 };
    await put(store, 'wild', { pins: [...older, ...pins], held: [held('\0', 'waits')], lists: [wild] });
    const memory = await other.servers.memory('wild');
    expect(new Set(memory.pins.map(({ tool }) => tool))).toEqual(new Set(names));
    expect(memory.pins).toHaveLength(names.length + older.length);
    for (const each of memory.pins) expect(each.definition.name).toBe(each.tool);
    expect(memory).toMatchObject({ held: [{ tool: '\0', hash: 'waits' }], lists: [wild] });
    await put(store, 'wild', { pins: [], held: [], lists: [] });
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

  it('looking for an unknown sign-in writes nothing', async () => {
    const direct = await openDatabase(database.db, silentLogger);
    const write = vi.spyOn(direct, 'write');
    expect(await takePendingSignIn({ database: direct, clock }, 'unknown')).toBeUndefined();
    expect(write).not.toHaveBeenCalled();
    await direct.close();
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
      ['first list', () => put(store, 'mail', {})],
      ['accept', () => put(store, 'mail', { pins: [pin('echo', 'h')] })],
      ['new list', () => put(store, 'mail', { lists: [list('echo', 'h')] })],
      ['setTool', () => store.servers.setTool('mail', { ...noSetting, tool: 'echo' })],
      ['forget', () => store.servers.forget('mail')],
      ['remove', () => store.servers.remove('mail')],
    ];
    for (const [what, change] of changes) {
      const heard = nextChange((onChange) => other.servers.watch(() => onChange(what)));
      await change();
      expect(await heard).toBe(what);
    }

    await put(store, 'mail', { pins: [pin('echo', 'h')], lists: [list('echo', 'h')] });
    const own = vi.fn();
    const stop = store.servers.watch(own);
    await store.servers.change('mail', (memory) => ({ ...memory, listedAt: 9 }));
    await store.servers.change('mail', () => undefined);
    await store.brain.create('a', { type: 'note', content: 'something else' });
    expect(own).not.toHaveBeenCalled();
    expect((await other.servers.memory('mail')).listedAt).toBe(9);
    await store.servers.setTool('mail', { ...noSetting, tool: 'echo' });
    await vi.waitFor(() => expect(own).toHaveBeenCalledTimes(1));
    stop();
  });
});

const noSetting = { enabled: true, alias: null, description: null, requiresApproval: null };

const definitionOf = (tool: string) => ({ name: tool, zeta: 1, inputSchema: { type: 'object' as const, b: 1, a: 2 } });
const pin = (tool: string, hash: string, acceptedAt = 1) => ({
  tool,
  hash,
  definition: definitionOf(tool),
  acceptedAt,
});
const held = (tool: string, hash: string) => ({ tool, hash, definition: definitionOf(tool), seenAt: 1 });

/** A list with one tool, which is its version as well. */
function list(tool: string, hash: string): ToolList {
  return { id: `list ${hash}`, version: { name: 'x', version: hash }, tools: new Map([[tool, hash]]), listedAt: 1 };
}

function put({ servers }: Store, name: string, memory: Partial<ServerMemory>): Promise<void> {
  return servers.change(name, (before) => ({ ...before, listedAt: 1, ...memory }));
}

function sorted<T extends object>(items: readonly T[]): T[] {
  return items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
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
