import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { beginAgentChange } from '../agents/agent-changes.store.ts';
import { systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { installationKeys } from '../base/installation-keys.ts';
import { silentLogger } from '../base/logger.ts';
import { checkBackupFile, copySqliteFile, isDamaged, writeWhole } from '../db/backup-file.ts';
import { bumpRevision, topics } from '../db/change-bus.ts';
import { clearTables, copyTables } from '../db/copy-tables.ts';
import type { Database, Write } from '../db/database.ts';
import { appliedMigrations, refuseUnknownAdditions } from '../db/migrate.ts';
import { openSqlite } from '../db/sqlite/open-sqlite.ts';
import type { Tables } from '../db/tables.ts';
import { proofFor } from '../decisions/decisions.store.ts';
import { indexDecisions } from '../decisions/index-decisions.store.ts';
import { addCut, readHeads } from '../decisions/log-cuts.store.ts';
import { continueKnowledge } from '../knowledge/store/restore-knowledge.store.ts';
import type { LogWork } from '../tools/decision-log.ts';
import { openDatabase, type StoreAddress } from './open-store.ts';

export interface BackupOptions {
  db: StoreAddress;
  /** A SQLite file for both kinds of database, so a backup can also move data from one kind to the other. */
  file: string;
  /** Replaces existing data. */
  force?: boolean;
}

/** Writes a consistent copy while other processes read and write. Throws NOT_FOUND, CONFLICT, INVALID_CONFIG, UNAVAILABLE. */
export async function backupStore(options: BackupOptions): Promise<void> {
  const file = resolve(options.file);
  const path = sqlitePath(options.db);
  if (path !== undefined && !existsSync(path)) throw new HubError('NOT_FOUND', `There is no database ${path} yet.`);
  if (path === file) throw new HubError('INVALID_ARGUMENTS', `The file ${file} is the database itself.`);
  await writeWhole({ file, force: options.force ?? false }, async (unfinished) => {
    if (path !== undefined) return copySqliteFile(path, unfinished);
    const database = await openDatabase(options.db, silentLogger);
    try {
      await dump(database, unfinished);
    } finally {
      await database.close();
    }
  });
}

export interface RestoreOptions extends BackupOptions {
  /** The folder for the hub's own data. Its key proves later that the restore, and nobody else, replaced the decision log. */
  dataDir?: string | undefined;
  /** AGENT_ZOO_SECRET. */
  secret?: string | undefined;
  /** Reports the progress of indexing the decision log again. */
  onProgress?: LogWork['onProgress'];
}

export interface Restored {
  /** The file with the replaced data, or null if there was none. */
  keptFile: string | null;
}

/**
 * Replaces the content of the database with that of a backup, in one transaction: processes that have the database open
 * continue with the restored data. Keeps the replaced data in a file. Throws NOT_FOUND, INVALID_CONFIG if the file is not
 * a valid backup, and CONFLICT if the database has data and `force` is not set.
 */
export async function restoreStore(options: RestoreOptions): Promise<Restored> {
  const file = resolve(options.file);
  checkBackupFile(file);
  const path = sqlitePath(options.db);
  if (path === file) throw new HubError('INVALID_ARGUMENTS', `The file ${file} is the database itself.`);
  const keptFile = `${path ?? file}.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const isSetAside = path !== undefined && (await setAsideDamaged(path, keptFile, options.force ?? false));

  const folder = await mkdtemp(join(tmpdir(), 'zoo-restore-'));
  try {
    // A copy, because an older backup must be migrated before its rows fit.
    await copySqliteFile(file, join(folder, 'backup.db'));
    const source = await openSqlite({ path: join(folder, 'backup.db'), logger: silentLogger });
    const target = await openDatabase(options.db, silentLogger).catch(async (error: unknown) => {
      await source.close();
      throw error;
    });
    try {
      const isEmpty = await hasNothing(target);
      if (!isEmpty && !options.force) throw wouldReplace(target.location);
      let isKept = false;
      const keep = async () => {
        // After a deadlock, the transaction starts again and sees what others wrote in the meantime.
        await writeWhole({ file: keptFile, force: isKept }, (unfinished) => keepCopy(target, path, unfinished));
        isKept = true;
      };
      const { dataDir, secret } = options;
      const keys = installationKeys({ secret, dataDir });
      const shared = { clock: systemClock, logger: silentLogger };
      const proof = proofFor({ database: target, installationKeys: keys, dataDir, ...shared });
      const key = await proof?.key();
      let restoredAt = 0;
      const sign = async (db: Kysely<Tables>) => {
        restoredAt = systemClock.now();
        if (key) await addCut(db, { kind: 'restore', at: restoredAt, detail: { file } }, key);
      };
      await replaceContent(source, target, { keep: isEmpty ? async () => {} : keep, sign });
      const nothingKnown = { chain: undefined, openSince: null, indexes: new Map() };
      // The restore has succeeded even if indexing fails: the next hub finishes the index.
      await indexDecisions(target, { writer: nothingKnown, onProgress: options.onProgress, isAlone: true }).catch(
        () => false,
      );
      // What is in the log now must stay there. Without this line, the record of the restore still explains what is gone.
      const restoredHeads = await readHeads(target, Math.max(systemClock.now(), restoredAt + 1));
      await proof?.anchors.restored(restoredHeads).catch(() => {});
      return { keptFile: isEmpty && !isSetAside ? null : keptFile };
    } finally {
      await source.close();
      await target.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the database file, or undefined for PostgreSQL. */
function sqlitePath(db: StoreAddress): string | undefined {
  if (db.url !== undefined) return undefined;
  if (db.path === undefined || db.path === ':memory:') {
    throw new HubError('INVALID_CONFIG', 'A database in memory cannot be saved or restored. Set [db] path to a file.');
  }
  return resolve(db.path);
}

async function dump(database: Database, path: string): Promise<void> {
  refuseUnknownAdditions(await database.read(appliedMigrations), database.location);
  const copy = await openSqlite({ path, logger: silentLogger });
  try {
    await database.read(
      (db) =>
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .setAccessMode('read only')
          .execute((transaction) => copy.write((write) => copyTables(transaction, write.db))),
      { isJob: true },
    );
  } finally {
    await copy.close();
  }
}

function keepCopy(target: Database, path: string | undefined, file: string): Promise<void> {
  return path === undefined ? dump(target, file) : copySqliteFile(path, file);
}

/** Moves a damaged database away, because it cannot be written. Stop the processes that use it first. */
async function setAsideDamaged(path: string, keptFile: string, force: boolean): Promise<boolean> {
  if (!existsSync(path) || !isDamaged(path)) return false;
  if (!force) throw wouldReplace(path);
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(`${path}${end}`)) await rename(`${path}${end}`, `${keptFile}${end}`);
  }
  return true;
}

function wouldReplace(location: string): HubError {
  return new HubError(
    'CONFLICT',
    `The database ${location} is not empty. Use --force to replace what it holds; a copy of it is kept.`,
  );
}

async function hasNothing(database: Database): Promise<boolean> {
  const found = await database.read((db) =>
    Promise.all([
      db.selectFrom('agents').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('brain_entries').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('decision_groups').select('seq').limit(1).executeTakeFirst(),
      db.selectFrom('knowledge_documents').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('knowledge_sources').select('source').limit(1).executeTakeFirst(),
      db.selectFrom('knowledge_vectors').select('hash').limit(1).executeTakeFirst(),
      db.selectFrom('team_members').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('mails').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('epics').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('tasks').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('vault_secrets').select('name').limit(1).executeTakeFirst(),
      db.selectFrom('servers').select('name').limit(1).executeTakeFirst(),
      db.selectFrom('tool_pins').select('server').limit(1).executeTakeFirst(),
      db.selectFrom('tool_settings').select('server').limit(1).executeTakeFirst(),
      db.selectFrom('runs').select('id').limit(1).executeTakeFirst(),
      db.selectFrom('chats').select('id').limit(1).executeTakeFirst(),
    ]),
  );
  return found.every((row) => row === undefined);
}

/** Writes of other processes to these tables wait until the restore is done. */
const lockedTables = ['agents', 'brain_entries', 'team_members', 'mails', 'epics', 'tasks', 'chats'] as const;

/**
 * Replaces all rows of `target` with those of `source` in one transaction. The target's counters and the agents' revisions
 * keep increasing, so that an editor with the replaced data never matches the revision number of the restored data.
 */
async function replaceContent(
  source: Database,
  target: Database,
  { keep, sign }: { keep(): Promise<void>; sign(db: Kysely<Tables>): Promise<void> },
): Promise<void> {
  await target.write(
    async (write) => {
      await write.bump('knowledge');
      const serversNumber = await write.bump('servers');
      const settingsNumber = await write.bump('settings');
      await write.bump('vault');
      await target.dialect.lockTables(write.db, lockedTables);
      const changeNumber = await beginAgentChange(write.db, target.dialect, '');
      await bumpRevision(write.db, 'epoch');
      await keep();
      const before = await write.db.selectFrom('agents').select(['id', 'revision']).execute();
      const brainsBefore = await agentsWithBrain(write.db);
      // Keeps new subscribers from registering until the end of the transaction.
      await target.dialect.lockTables(write.db, ['event_subscribers']);
      const subscribers = await write.db.selectFrom('event_subscribers').selectAll().execute();
      await clearTables(write.db, { except: 'revisions' });
      await source.read(async (db) => {
        const { change, finish } = await continueKnowledge(db, write.db);
        await copyTables(db, write.db, { except: 'revisions', change });
        await finish();
      });
      await write.db.updateTable('agents').set({ change_number: changeNumber }).execute();
      await write.db.updateTable('servers').set({ revision: serversNumber }).execute();
      await write.db.updateTable('settings').set({ version: settingsNumber }).execute();
      await raiseRevisions(write, new Map(before.map((row) => [row.id, row.revision])));
      await keepSubscribers(write.db, subscribers);
      await sign(write.db);
      for (const topic of topics) if (topic !== 'brain') write.changed(topic);
      write.changed('brain', ...brainsBefore, ...(await agentsWithBrain(write.db)));
    },
    { isJob: true },
  );
}

async function raiseRevisions(write: Write, before: ReadonlyMap<string, number>): Promise<void> {
  const restored = await write.db.selectFrom('agents').select(['id', 'revision']).execute();
  for (const { id, revision } of restored) {
    const replaced = before.get(id);
    if (replaced === undefined || replaced < revision) continue;
    const next = replaced + 1;
    await write.db.updateTable('agents').set({ revision: next }).where('id', '=', id).execute();
    await write.db
      .insertInto('agent_versions')
      .columns(['agent_id', 'revision', 'action', 'at', 'data', 'tags'])
      .expression((builder) =>
        builder
          .selectFrom('agents')
          .select((each) => ['id', 'revision', each.val('restore').as('action'), 'updated_at', 'data', 'tags'])
          .where('id', '=', id),
      )
      .execute();
  }
}

/** Keeps the current subscribers, because they belong to running processes and not to the backup. */
async function keepSubscribers(db: Kysely<Tables>, subscribers: readonly Tables['event_subscribers'][]): Promise<void> {
  for (const { target, type, holder, seen_at } of subscribers) {
    await db
      .insertInto('event_subscribers')
      .values({ target, type, holder, seen_at })
      .onConflict((conflict) => conflict.column('target').doUpdateSet({ holder, seen_at }))
      .execute();
  }
}

async function agentsWithBrain(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom('brain_entries').select('agent_id').distinct().execute();
  return rows.map((row) => row.agent_id);
}
