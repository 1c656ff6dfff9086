import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { beginAgentChange } from '../agents/agent-changes.store.ts';
import { systemClock } from '../base/clock.ts';
import { isRunning } from '../base/holder.ts';
import { HubError } from '../base/hub-error.ts';
import { installationKeys } from '../base/installation-keys.ts';
import { silentLogger } from '../base/logger.ts';
import { copySqliteFile, writeWhole } from '../db/backup-file.ts';
import { copiedTables, copyTables, digestTables, type TableDigest } from '../db/copy-tables.ts';
import type { Database } from '../db/database.ts';
import { appliedMigrations, refuseUnknownAdditions } from '../db/migrate.ts';
import { type ServingProcess, servingProcesses } from '../db/serving-versions.ts';
import { openSqlite } from '../db/sqlite/open-sqlite.ts';
import type { Tables } from '../db/tables.ts';
import { indexDecisions } from '../decisions/index-decisions.store.ts';
import { type LogProof, openLogProof, readProof } from '../decisions/log-proof.ts';
import { verifyDecisions } from '../decisions/verify-decisions.store.ts';
import type { LogWork, VerifyReport } from '../tools/decision-log.ts';
import { openDatabase, type StoreAddress } from './open-store.ts';

/** A hub gives a sign at least every 15 seconds. */
const recentMs = 60_000;
/** A hub that only started there leaves rows in these. */
const unimportant: readonly (keyof Tables)[] = ['revisions', 'hub_presence'];

export interface MoveOptions {
  from: StoreAddress;
  to: StoreAddress;
  /** The folder for the hub's own data. It has the anchors of the decision log, which move along. */
  dataDir: string;
  /** AGENT_ZOO_SECRET. */
  secret?: string | undefined;
  /** Copies although a hub uses the source. What is written meanwhile is not in the copy. */
  isWhileServing?: boolean;
  onProgress?: LogWork['onProgress'];
}

export interface Moved {
  from: string;
  to: string;
  /** What both databases hold. */
  tables: TableDigest[];
  /** The processes that used the source. */
  serving: ServingProcess[];
  log: Pick<VerifyReport, 'rows' | 'chains' | 'problems'>;
}

/**
 * Copies everything into an empty database of the other kind, or the same, and compares. The source stays as it is. A killed move
 * leaves the target empty. Throws NOT_FOUND, CONFLICT if the target is not empty or a hub uses the source, STORAGE_FAILED if the copy
 * differs, and as `openStore` does.
 */
export async function moveStore(options: MoveOptions): Promise<Moved> {
  return withSnapshot(options.from, async (source) => {
    const serving = await servingProcesses(source.db, recentMs);
    if (serving.length > 0 && !options.isWhileServing) throw inUse(source.location, serving);
    const expected = await digestTables(source.db);
    const target = await fill(options, (database) => copyInto(database, { source, expected, options }));
    try {
      const log = await readLog(target, options);
      return { from: source.location, to: target.location, tables: expected, serving, log };
    } finally {
      await target.close();
    }
  });
}

interface Snapshot {
  db: Kysely<Tables>;
  location: string;
}

/** Opens one consistent state of a database, and writes nothing into it. PostgreSQL's tables are brought up to date first. */
async function withSnapshot<T>(address: StoreAddress, run: (source: Snapshot) => Promise<T>): Promise<T> {
  if (address.url !== undefined) {
    const database = await openDatabase(address, silentLogger);
    try {
      const { location } = database;
      refuseUnknownAdditions(await database.read(appliedMigrations), location);
      const inTransaction = (db: Kysely<Tables>) =>
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .setAccessMode('read only')
          .execute((transaction) => run({ db: transaction, location }));
      return await database.read(inTransaction, { isJob: true });
    } finally {
      await database.close();
    }
  }
  const path = resolve(address.path ?? '');
  if (!existsSync(path)) throw new HubError('NOT_FOUND', `There is no database ${path}.`);
  const folder = await mkdtemp(join(tmpdir(), 'zoo-move-'));
  try {
    await copySqliteFile(path, join(folder, 'source.db'));
    const copy = await openSqlite({ path: join(folder, 'source.db'), logger: silentLogger });
    try {
      refuseUnknownAdditions(await copy.read(appliedMigrations), path);
      return await copy.read((db) => run({ db, location: path }));
    } finally {
      await copy.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fills the target in one step: a PostgreSQL database in one transaction, a file under another name until it is complete. */
async function fill(options: MoveOptions, copy: (target: Database) => Promise<void>): Promise<Database> {
  const { to } = options;
  if (to.url !== undefined) {
    const target = await openDatabase(to, silentLogger);
    try {
      await copy(target);
      return target;
    } catch (error) {
      await target.close();
      throw error;
    }
  }
  const file = resolve(to.path ?? '');
  if (existsSync(file))
    throw new HubError('CONFLICT', `The file ${file} already exists. Name a new file, or move this one away.`);
  await removeAbandoned(file);
  await writeWhole({ file, force: false }, async (unfinished) => {
    const target = await openSqlite({ path: unfinished, logger: silentLogger });
    try {
      await copy(target);
    } finally {
      await target.close();
    }
  });
  return openDatabase({ path: file }, silentLogger);
}

/** Removes what killed moves left beside the file. */
async function removeAbandoned(file: string): Promise<void> {
  const names = await readdir(dirname(file)).catch(() => []);
  for (const name of names) {
    const [, pid] = /^\.unfinished-(\d+)(?:-wal|-shm|-journal)?$/.exec(name.slice(basename(file).length)) ?? [];
    if (pid === undefined || !name.startsWith(basename(file)) || isRunning(Number(pid))) continue;
    await rm(join(dirname(file), name), { force: true });
  }
}

interface Copying {
  source: Snapshot;
  expected: readonly TableDigest[];
  options: MoveOptions;
}

async function copyInto(target: Database, { source, expected, options }: Copying): Promise<void> {
  await target.write(
    async (write) => {
      await target.dialect.lockTables(write.db, copiedTables);
      await refuseContent(write.db, target.location);
      for (const table of unimportant) await write.db.deleteFrom(table).execute();
      await copyTables(source.db, write.db, { isMove: true });
      const changeNumber = await beginAgentChange(write.db, target.dialect, '');
      await write.db.updateTable('agents').set({ change_number: changeNumber }).execute();
      compare(expected, await digestTables(write.db), target.location);
      // Before the commit: without them, cutting the end off the moved log would go unnoticed.
      const location = options.to.url === undefined ? resolve(options.to.path ?? '') : target.location;
      await proofOf(options, location).anchors.continueFrom(proofOf(options, source.location).anchors);
    },
    { isJob: true },
  );
}

async function refuseContent(db: Kysely<Tables>, location: string): Promise<void> {
  const found: string[] = [];
  for (const table of copiedTables) {
    if (unimportant.includes(table)) continue;
    const { count } = await db
      .selectFrom(table)
      .select((each) => each.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count > 0) found.push(`${table} (${count})`);
  }
  if (found.length > 0)
    throw new HubError(
      'CONFLICT',
      `The database ${location} is not empty: ${found.join(', ')}. Move into an empty database.`,
      { details: { found } },
    );
}

function compare(expected: readonly TableDigest[], copied: readonly TableDigest[], location: string): void {
  const wrong = expected.filter(
    ({ rows, hash }, index) => copied[index]?.rows !== rows || copied[index]?.hash !== hash,
  );
  if (wrong.length === 0) return;
  const tables = wrong.map(({ table }) => table).join(', ');
  throw new HubError(
    'STORAGE_FAILED',
    `The copy in ${location} differs from the source in ${tables}, so it was undone. Please report this.`,
    { details: { expected: wrong } },
  );
}

function inUse(location: string, serving: readonly ServingProcess[]): HubError {
  const who = serving.map((each) => each.who).join(', ');
  return new HubError(
    'CONFLICT',
    `The database ${location} is in use by ${who}. Stop it, and wait a minute if it was on another machine; or use --while-serving, which leaves out what it writes meanwhile.`,
    { details: { serving } },
  );
}

/** Makes the index of the decision log, and verifies the log with the keys and anchors of this installation. */
async function readLog(target: Database, options: MoveOptions): Promise<Moved['log']> {
  const { onProgress } = options;
  const nothingKnown = { chain: undefined, openSince: null, indexes: new Map() };
  // The next hub finishes the index if this fails.
  await indexDecisions(target, { writer: nothingKnown, onProgress, isAlone: true }).catch(() => false);
  const proof = await readProof(proofOf(options, target.location), { keys: [], anchors: [] });
  const { rows, chains, problems } = await verifyDecisions(target, proof, { onProgress });
  return { rows, chains, problems };
}

function proofOf({ dataDir, secret }: MoveOptions, location: string): LogProof {
  const parts = { location, dataDir, clock: systemClock, logger: silentLogger };
  return openLogProof({ ...parts, installationKeys: installationKeys({ secret, dataDir }), allHeads: async () => [] });
}
