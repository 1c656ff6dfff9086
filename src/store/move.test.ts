import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endedHolder } from '../../test/support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { silentLogger } from '../base/logger.ts';
import { copiedTables, digestTables } from '../db/copy-tables.ts';
import type { Database, Write } from '../db/database.ts';
import { type MoveOptions, moveStore } from './move.ts';
import { openDatabase, type StoreAddress } from './open-store.ts';

let folder: string;
let source: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-move-test-'));
});
afterEach(async () => {
  await source.remove();
  await rm(folder, { recursive: true, force: true });
});

const options = (to: StoreAddress, more: Partial<MoveOptions> = {}): MoveOptions => ({
  from: source.db,
  to,
  dataDir: folder,
  ...more,
});

async function using<T>(address: StoreAddress, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(address, silentLogger);
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

async function newTarget(kind: (typeof databaseKinds)[number]): Promise<StoreAddress> {
  return kind === 'sqlite'
    ? { path: join(folder, 'moved.sqlite') }
    : (await newTestDatabase(kind, { isEmpty: true })).db;
}

/** Belong to running processes and open sessions, or are made again from other tables. */
const notCopied = [
  'decision_counts',
  'decision_keys',
  'decision_marks',
  'decision_minutes',
  'leases',
  'mcp_messages',
  'mcp_session_state',
  'pending_sign_ins',
  'server_replicas',
  'zoo_additions',
  'zoo_migrations',
];

it('every table is copied, or is known to need no copy', async () => {
  source = await newTestDatabase('sqlite');
  const tables = await using(source.db, (database) => database.read((db) => db.introspection.getTables()));
  const copied: readonly string[] = copiedTables;
  const others = tables.map(({ name }) => name).filter((name) => !copied.includes(name));
  expect(others.filter((name) => !notCopied.includes(name))).toEqual([]);
});

describe.each(databaseKinds)('a move from %s', (kind) => {
  beforeEach(async () => {
    source = await newTestDatabase(kind);
    await using(source.db, (database) => database.write(({ db }) => fillTables(db)));
  });

  it.each(databaseKinds)(
    'brings every row of every table to %s, and leaves the source as it was',
    async (targetKind) => {
      const before = await bytesOf(source.db);
      const target = await newTarget(targetKind);
      const { tables, serving } = await moveStore(options(target));
      expect(tables.map(({ table, rows }) => [table, rows])).toEqual(
        copiedTables.map((table) => [table, rowsPerTable]),
      );
      expect(new Set(tables.map(({ hash }) => hash)).size).toBe(tables.length);
      // The index of the log is made again, and notes in the chains how far it is.
      const isSame = ({ table }: { table: string }) => table !== 'decision_chains';
      const moved = await using(target, (database) => database.read(digestTables));
      expect(moved.filter(isSame)).toEqual(tables.filter(isSame));
      expect(await using(source.db, (database) => database.read(digestTables))).toEqual(tables);
      expect(serving).toEqual([]);
      expect(await bytesOf(source.db)).toBe(before);
      // New entries of the log are numbered after those that were moved.
      const [group] = await using(target, (database) =>
        database.write(({ db }) =>
          sql<{
            seq: number;
          }>`insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
          values ('new', 1, 1, 1, 1, 'h', '') returning seq`
            .execute(db)
            .then(({ rows }) => rows),
        ),
      );
      expect(group?.seq).toBe(rowsPerTable + 1);
    },
  );

  it('is refused while another process uses the source, unless it is told to go on', async () => {
    await using(source.db, (database) =>
      database.write(async ({ db }) => {
        const until = Date.now() + 20_000;
        for (const holder of ['process 1 on a', endedHolder()])
          await sql`insert into leases (name, holder, since, until) values (${holder}, ${holder}, 1, ${until})`.execute(
            db,
          );
      }),
    );
    const target = await newTarget('sqlite');
    await expect(moveStore(options(target))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/in use by process 1 on a\. Stop it.*--while-serving/),
    });
    expect(await moveStore(options(target, { isWhileServing: true }))).toMatchObject({
      serving: [{ who: 'process 1 on a', version: null }],
    });
  });
});

describe('a target', () => {
  beforeEach(async () => {
    source = await newTestDatabase('sqlite');
    await using(source.db, (database) => database.write(({ db }) => fillTables(db)));
  });

  it('that is not empty is refused, and the error names what is there', async () => {
    const target = await newTarget('postgres');
    await moveStore(options(target));
    await expect(moveStore(options(target))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/is not empty: agents \(120\), agent_versions \(120\), /),
    });
    const path = join(folder, 'moved.sqlite');
    await writeFile(path, 'mine');
    await expect(moveStore(options({ path }))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('is left empty by a move that differs, and by one that is killed; the next move succeeds', async () => {
    const target = await newTarget('postgres');
    await using(target, async (database) => {
      // Changes a row on its way.
      await database.write(async ({ db }) => {
        await sql`create function forge() returns trigger language plpgsql as
          $$ begin new.body := 'forged'; return new; end $$`.execute(db);
        await sql`create trigger forge before insert on mails for each row execute function forge()`.execute(db);
      });
      await expect(moveStore(options(target))).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: expect.stringMatching(/differs from the source in mails, so it was undone/),
      });
      await database.write(({ db }) => sql`drop trigger forge on mails`.execute(db));
      const rowsIn = async () => (await database.read(digestTables)).reduce((sum, { rows }) => sum + rows, 0);
      expect(await rowsIn()).toBe(0);

      await database.write(
        async ({ db }) => {
          await sql`lock table workspaces in access exclusive mode`.execute(db);
          const script = fileURLToPath(new URL('../../test/support/databases/move-database.ts', import.meta.url));
          const moving = spawn(process.execPath, [script, JSON.stringify(options(target))], { stdio: 'inherit' });
          const ended = once(moving, 'exit');
          await expect.poll(() => using(target, waitingLocks), { timeout: 60_000 }).toBeGreaterThan(0);
          moving.kill('SIGKILL');
          await ended;
        },
        { isJob: true },
      );
      expect(await rowsIn()).toBe(0);
    });
    expect((await moveStore(options(target))).tables).toHaveLength(copiedTables.length);
  });

  it('that is a file gets its name when it is complete; what a killed move left is removed', async () => {
    const ended = spawn(process.execPath, ['-e', '']);
    await once(ended, 'exit');
    const left = ['', '-wal', '-shm'].map((end) => `moved.sqlite.unfinished-${ended.pid}${end}`);
    for (const name of left) await writeFile(join(folder, name), 'half');
    await moveStore(options(await newTarget('sqlite')));
    expect((await readdir(folder)).filter((name) => name.startsWith('moved'))).toEqual(['moved.sqlite']);
  });
});

async function waitingLocks(database: Database): Promise<number> {
  const { rows } = await database.read((db) =>
    sql`select 1 from pg_locks where not granted and relation = 'workspaces'::regclass`.execute(db),
  );
  return rows.length;
}

/** The bytes of a SQLite file; nothing for a server. */
async function bytesOf(address: StoreAddress): Promise<string> {
  if (address.path === undefined) return '';
  return createHash('sha256')
    .update(await readFile(address.path))
    .digest('hex');
}

const rowsPerTable = 120;

/** Fills all tables with values that databases could change on the way: signs, case, empty texts, bytes, large numbers, null. */
async function fillTables(db: Write['db']): Promise<void> {
  const texts = ['', 'Zoë 🦊', 'a\nb', "it's", 'ß', 'Ab', 'aB', '\u200b', '"', '[1.0, 2]'];
  await sql`delete from revisions`.execute(db);
  const known = new Map((await db.introspection.getTables()).map((table) => [table.name, table.columns]));
  for (const table of copiedTables) {
    const columns = (known.get(table) ?? []).filter((column) => table !== 'decision_groups' || column.name !== 'seq');
    const rows = Array.from({ length: rowsPerTable }, (_, index) =>
      columns.map(({ dataType, isNullable }, place) => {
        // SQLite calls some keys nullable; they come first.
        if (isNullable && place > 0 && index % 3 === 0) return null;
        if (/int/i.test(dataType)) return /8|big/i.test(dataType) ? 2 ** 52 - index : index + 1;
        if (/bytea|blob/i.test(dataType)) return new Uint8Array([0, 255, index]);
        if (/real|double|float/i.test(dataType)) return index + 0.1;
        // The same text in all columns of a row, because some refer to others.
        return `${texts[index % texts.length]}${index}`;
      }),
    );
    const names = sql.join(columns.map((column) => sql.ref(column.name)));
    for (const row of rows) await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(row)})`.execute(db);
  }
  // No hub has been there lately.
  await sql`update hub_presence set seen_at = 1`.execute(db);
}
