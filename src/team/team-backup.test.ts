import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { epicRow, mailRow, mailToUser, memberRow, taskRow, teamTime } from '../../test/support/team/team-rows.ts';
import { silentLogger } from '../base/logger.ts';
import { migrations } from '../db/migrations/migrations.ts';
import { applicationId } from '../db/sqlite/open-sqlite.ts';
import { nodeSqliteDialect } from '../db/sqlite/sqlite-dialect.ts';
import { backupStore, restoreStore } from '../store/backup.ts';
import { openDatabase } from '../store/open-store.ts';
import type { TeamConcern, TeamStore } from './team.store.ts';

let folder: string;
let stores: TestStores;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-team-backup-'));
});
afterEach(async () => {
  await stores.remove();
  await rm(folder, { recursive: true, force: true });
});

describe.each(databaseKinds)('a backup of the team in %s', (kind) => {
  let file: string;
  let saved: Awaited<ReturnType<typeof contentOf>>;
  beforeEach(async () => {
    stores = await openTestStores(kind);
    await fill(stores.store.team);
    file = join(folder, 'zoo.backup');
    await backupStore({ db: stores.db, file });
    saved = await contentOf(stores.store.team);
  });

  it.each(databaseKinds)('holds everything, and restores into an empty %s', async (targetKind) => {
    const target = await openTestStores(targetKind);
    expect(await restoreStore({ db: target.db, file })).toEqual({ keptFile: null });
    expect(await contentOf(target.store.team)).toEqual(saved);
    expect(saved.mails).toHaveLength(3);
    const { team } = target.store;
    await team.write(async (rows) => {
      expect(await rows.claimKey(claim)).toEqual({ isNew: false, tool: 't', inputHash: 'h', answer: 'kept' });
      expect(await rows.escalations('f', 0)).toEqual([{ mailId: 'fault' }]);
    });
    // Counters continue from the restored values.
    await team.write((rows) => rows.markRead('answer', teamTime));
    expect(await team.countUnread({ toAgentId: null })).toBe(saved.unread - 1);
    await target.remove();
  });

  it('a restore over a team needs force, and reaches processes that have the database open', async () => {
    const { store, other, db } = stores;
    const first = other.team.membersRevision();
    await store.team.write(async (rows) => {
      await rows.removeMember('w');
      await rows.addTask(taskRow('later'));
      await rows.addMail(mailToUser('later'));
    });
    const replaced = await contentOf(store.team);
    await expect(restoreStore({ db, file })).rejects.toMatchObject({ code: 'CONFLICT' });
    await vi.waitFor(() => expect(other.team.membersRevision()).not.toBe(first));
    const before = other.team.membersRevision();
    const reported = new Set<TeamConcern>();
    const stop = other.team.watch((what) => {
      for (const concern of what) reported.add(concern);
    });
    const { keptFile } = await restoreStore({ db, file, force: true });
    await vi.waitFor(() => expect(reported).toEqual(new Set(['members', 'mail', 'work'])));
    stop();
    expect(await contentOf(other.team)).toEqual(saved);
    expect(other.team.membersRevision()).not.toBe(before);

    const kept = await openTestStores('sqlite');
    await restoreStore({ db: kept.db, file: keptFile ?? '' });
    expect(await contentOf(kept.store.team)).toEqual(replaced);
    await kept.remove();
    await rm(keptFile ?? '');
  });
});

describe.each(databaseKinds)('a backup without team tables, restored into %s', (kind) => {
  it('restores its content and leaves the team empty', async () => {
    stores = await openTestStores(kind);
    await fill(stores.store.team);
    const file = join(folder, 'old.backup');
    await makeOldBackup(file);
    const { keptFile } = await restoreStore({ db: stores.db, file, force: true });
    await rm(keptFile ?? '');
    const { store } = stores;
    expect(await store.brain.query('wizard', {})).toMatchObject([{ content: 'remembered' }]);
    expect(await store.team.members()).toEqual([]);
    expect((await store.team.mailbox({ toAgentId: null, includeRead: true, limit: 5 })).items).toEqual([]);
    await fill(store.team);
    expect(await store.team.countUnread({ toAgentId: null })).toBe(2);
  });
});

it('a restore and a transaction that wait for each other both succeed', async () => {
  stores = await openTestStores('postgres');
  await fill(stores.store.team);
  const file = join(folder, 'zoo.backup');
  await backupStore({ db: stores.db, file });
  const database = await openDatabase(stores.db, silentLogger);
  const isWaiting = async () => {
    const { rows } = await database.read((db) => sql`select 1 from pg_locks where not granted`.execute(db));
    expect(rows).not.toEqual([]);
  };
  const isLocked = Promise.withResolvers<void>();
  const writing = stores.store.team.write(async (rows) => {
    await rows.member('w');
    isLocked.resolve();
    // By now the restore waits for this table.
    await vi.waitFor(isWaiting).catch(() => {});
    await rows.changeMember('w', { state: 'WAITING' }, teamTime);
  });
  await isLocked.promise;
  const [{ keptFile }] = await Promise.all([restoreStore({ db: stores.db, file, force: true }), writing]);
  await rm(keptFile ?? '');
  await database.close();
  expect(await stores.store.team.members()).toHaveLength(1);
});

const claim = { owner: 'w', key: 'k', tool: 't', inputHash: 'h', at: teamTime };

async function fill(team: TeamStore): Promise<void> {
  const escalation = { tool: 't', code: 'INTERNAL_ERROR', callId: 'c', isCritical: true };
  await team.write(async (rows) => {
    await rows.addMember(memberRow('w', { tokenHash: 'hash' }));
    await rows.addMail(mailRow('asked'));
    await rows.addMail(mailToUser('answer', { threadId: 'asked', inReplyTo: 'asked', at: teamTime + 1 }));
    await rows.addMail(mailToUser('fault', { escalation, at: teamTime + 2 }));
    await rows.addEscalation({ fault: 'f', mailId: 'fault', at: teamTime });
    await rows.countEscalation(['fault'], teamTime + 3);
    await rows.markRead('asked', teamTime + 4);
    await rows.addEpic(epicRow('e'));
    await rows.addTask(taskRow('t', { epicId: 'e', assigneeId: 'w' }));
    await rows.addComment({ id: 'c', taskId: 't', authorId: 'w', body: 'done', at: teamTime });
    await rows.addEvent({ id: 'event', type: 'mail.sent', data: '{}', at: teamTime }, ['handlers', 'webhook:ops']);
    await rows.claimKey(claim);
    await rows.keepAnswer('w', 'k', 'kept');
  });
}

async function contentOf(team: TeamStore) {
  return {
    members: await team.members(),
    mails: [...(await team.thread('asked')).items, ...(await team.thread('fault')).items],
    threads: await team.threads({ all: true, onlyUnread: false, onlyEscalations: false, limit: 10 }),
    unread: await team.countUnread({ toAgentId: null }),
    epics: await team.epics({ limit: 10 }),
    tasks: await team.tasks({}),
    comments: await team.comments('t'),
    deliveries: await team.deliveries.list({ limit: 10 }),
  };
}

/** Creates a database from before the team's migrations, with one row. */
async function makeOldBackup(path: string): Promise<void> {
  const connection = new DatabaseSync(path);
  const db = new Kysely<unknown>({ dialect: nodeSqliteDialect(connection) });
  const steps = Object.entries(migrations).filter(([name]) => name < '0003');
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(steps) },
    migrationTableName: 'zoo_migrations',
    migrationLockTableName: 'zoo_migration_lock',
  }).migrateToLatest();
  if (error !== undefined) throw error;
  connection.exec(`
    pragma application_id = ${applicationId};
    insert into brain_entries (id, agent_id, type, content, at, pinned, tags, metadata)
    values ('b', 'wizard', 'note', 'remembered', 1, 0, '[]', '{}')`);
  connection.close();
}
