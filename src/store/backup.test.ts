import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores, testAgent, testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { DecisionEntry, LogProgress } from '../tools/decision-log.ts';
import { backupStore, restoreStore } from './backup.ts';
import { openStore } from './open-store.ts';
import type { Store } from './store.ts';

let folder: string;
let stores: TestStores;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-backup-'));
});
afterEach(async () => {
  await stores.remove();
  await rm(folder, { recursive: true, force: true });
});

describe.each(databaseKinds)('a backup of %s', (kind) => {
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });

  it.each(databaseKinds)('holds everything, and restores into an empty %s', async (targetKind) => {
    await fill(stores.store);
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: stores.db, file });
    expect(await readdir(folder)).toEqual(['zoo.backup']);

    const target = await openTestStores(targetKind);
    const told: LogProgress[] = [];
    const onProgress = (progress: LogProgress) => told.push(progress);
    expect(await restoreStore({ db: target.db, file, onProgress })).toEqual({ keptFile: null });
    expect(told.at(-1)).toEqual({ phase: 'keys', done: 250, total: 250 });
    // A store that was open before reads settings again once it has heard of the restore.
    await vi.waitFor(async () => expect(await contentOf(target.store)).toEqual(await contentOf(stores.store)), 10_000);
    await target.store.decisions.append(decision('call_after'));
    expect(await target.store.decisions.verify()).toMatchObject({ rows: 251, chains: 2, problems: [] });
    expect((await target.store.decisions.page({ limit: 1 })).entries[0]?.callId).toBe('call_after');
    // What is made from the log is made again, for the numbers that it has now.
    const { entries } = await target.store.decisions.page({ tool: decision('').tool, limit: 500 });
    expect(entries).toHaveLength(251);
    await target.remove();
  });

  it('is itself a database that a hub can open', async () => {
    await fill(stores.store);
    const file = join(folder, 'zoo.db');
    await backupStore({ db: stores.db, file });
    const copy = await openStore({ db: { path: file }, clock: testClock(), logger: silentLogger });
    expect(await contentOf(copy)).toEqual(await contentOf(stores.store));
    await copy.close();
  });

  it('is consistent while others write', async () => {
    const file = join(folder, 'zoo.db');
    const saving = Array.from({ length: 60 }, (_, index) => stores.other.agents.create(testAgent(`agent-${index}`)));
    for (let round = 0; round < 4; round += 1) {
      await saving[round * 15];
      await backupStore({ db: stores.db, file, force: true });
      const copy = new DatabaseSync(file, { readOnly: true });
      const count = (sql: string) => Number(copy.prepare(sql).get()?.count);
      expect(count('select count(*) as count from agents')).toBe(count('select count(*) as count from agent_versions'));
      expect(count('select sum(revision) as count from agents')).toBe(
        count('select count(*) as count from agent_versions'),
      );
      copy.close();
    }
    await Promise.all(saving);
  });

  it('does not replace a file unless it is forced to', async () => {
    await fill(stores.store);
    const file = join(folder, 'mine.txt');
    await writeFile(file, 'precious');
    await expect(backupStore({ db: stores.db, file })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await readFile(file, 'utf8')).toBe('precious');
    await backupStore({ db: stores.db, file, force: true });
    expect(await readFile(file, 'latin1')).toMatch(/^SQLite format 3/);
  });

  it('is for this user only', async () => {
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: stores.db, file });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('says when the folder is missing', async () => {
    const file = join(folder, 'missing', 'zoo.db');
    await expect(backupStore({ db: stores.db, file })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('missing'),
    });
  });
});

describe.each(databaseKinds)('a restore into %s', (kind) => {
  let file: string;
  let saved: Awaited<ReturnType<typeof contentOf>>;
  beforeEach(async () => {
    stores = await openTestStores(kind);
    await fill(stores.store);
    file = join(folder, 'zoo.backup');
    await backupStore({ db: stores.db, file });
    saved = await contentOf(stores.store);
  });

  it('needs force when there is something to replace', async () => {
    await expect(restoreStore({ db: stores.db, file })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await contentOf(stores.store)).toEqual(saved);
  });

  it('reaches processes that have the database open, and keeps what it replaced', async () => {
    const { store, other, db } = stores;
    await store.agents.update(testAgent('kept', { name: 'Changed after the backup' }), 2);
    await store.agents.create(testAgent('newer'));
    await store.brain.create('newer', { type: 'note', content: 'newer' });
    const replaced = await contentOf(store);
    await other.agents.source.snapshot();
    const reported = new Set<string>();
    const stop = other.changes.on(({ topic, ids }) => {
      if (topic === 'brain') for (const id of ids) reported.add(id);
    });

    const { keptFile } = await restoreStore({ db, file, force: true });
    await vi.waitFor(async () => {
      const { entries } = await other.agents.source.snapshot();
      expect(entries.map((entry) => entry.agent.name)).toEqual(['As saved']);
      expect([...reported].sort()).toEqual(['kept', 'newer']);
    });
    stop();
    expect(await other.agents.get('newer')).toBeUndefined();
    expect(await other.brain.query('newer', {})).toEqual([]);
    // A page that still shows the replaced revision 3 must not be able to save over the restored agent.
    expect(await other.agents.get('kept')).toMatchObject({ revision: 4, agent: { name: 'As saved' } });
    await expect(other.agents.update(testAgent('kept'), 3)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await other.agents.versions('kept')).map((version) => version.action)).toEqual([
      'restore',
      'update',
      'create',
    ]);

    if (keptFile === null) throw new Error('The replaced data is kept.');
    const kept = await openStore({ db: { path: keptFile }, clock: testClock(), logger: silentLogger });
    expect(await contentOf(kept)).toEqual(replaced);
    await kept.close();
    await rm(keptFile);
  });

  it.each([
    ['no file at all', async () => {}, 'NOT_FOUND'],
    ['a text', (path: string) => writeFile(path, 'agents = []'.repeat(1000)), 'INVALID_CONFIG'],
    ['a database of another program', makeForeign, 'INVALID_CONFIG'],
    ['half a backup', makeHalf, 'INVALID_CONFIG'],
    ['a backup of a newer version', makeNewer, 'INVALID_CONFIG'],
  ])('refuses %s before it touches anything', async (_name, make, code) => {
    const broken = join(folder, 'broken.db');
    await make(broken);
    await expect(restoreStore({ db: stores.db, file: broken, force: true })).rejects.toMatchObject({
      code,
      message: expect.stringContaining('broken.db'),
    });
    expect(await contentOf(stores.store)).toEqual(saved);
  });

  async function makeHalf(path: string): Promise<void> {
    const bytes = await readFile(file);
    await writeFile(path, bytes.subarray(0, bytes.length / 2));
  }

  async function makeNewer(path: string): Promise<void> {
    await writeFile(path, await readFile(file));
    const copy = new DatabaseSync(path);
    copy.exec("insert into zoo_migrations (name, timestamp) values ('9999-later', '2030-01-01')");
    copy.close();
  }
});

describe('a restore over a damaged SQLite file', () => {
  it('moves the damaged file away and starts with an empty one', async () => {
    stores = await openTestStores('sqlite');
    await fill(stores.store);
    const file = join(folder, 'zoo.backup');
    await backupStore({ db: stores.db, file });
    const path = join(folder, 'damaged.db');
    await writeFile(path, 'no database any more'.repeat(500));
    await expect(restoreStore({ db: { path }, file })).rejects.toMatchObject({ code: 'CONFLICT' });
    const { keptFile } = await restoreStore({ db: { path }, file, force: true });
    expect(await readFile(keptFile ?? '', 'utf8')).toContain('no database any more');
    const restored = await openStore({ db: { path }, clock: testClock(), logger: silentLogger });
    expect(await contentOf(restored)).toEqual(await contentOf(stores.store));
    await restored.close();
  });

  it('a missing database cannot be backed up, and is not made by the attempt', async () => {
    stores = await openTestStores('sqlite');
    const path = join(folder, 'absent.db');
    await expect(backupStore({ db: { path }, file: join(folder, 'b') })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(path)).toBe(false);
    await expect(stat(join(folder, 'b'))).rejects.toThrow();
  });
});

async function makeForeign(path: string): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec('create table recipes (name text)');
  database.close();
}

async function fill(store: Store): Promise<void> {
  await store.agents.create(testAgent('kept'));
  await store.agents.update(testAgent('kept', { name: 'As saved' }), 1);
  await store.agents.create(testAgent('deleted'));
  await store.agents.delete('deleted', 1);
  await store.brain.create('kept', { type: 'note', content: 'remember', tags: ['a'], metadata: { deep: [1] } });
  await store.settings.write('engine.model', 'acme/one');
  const entries = Array.from({ length: 250 }, (_, index) => decision(`call_${index}`));
  await Promise.all(entries.map((entry) => store.decisions.append(entry)));
}

async function contentOf(store: Store) {
  return {
    agents: (await store.agents.source.snapshot()).entries.map(({ agent, revision }) => ({ agent, revision })),
    versions: [...(await store.agents.versions('kept')), ...(await store.agents.versions('deleted'))],
    brain: await store.brain.query('kept', {}),
    decisions: (await store.decisions.page({ limit: 500 })).entries,
    settings: (await store.settings.list('', z.unknown())).map(({ key, value }) => ({ key, value })),
  };
}

function decision(callId: string): DecisionEntry {
  const at = 1_794_000_000_000;
  return {
    callId,
    kind: 'result',
    at,
    surface: 'http',
    agentId: null,
    persona: 'kept',
    taskId: null,
    tool: 't',
    decision: 'd',
    reasoning: 'r',
    context: '{}',
  };
}
