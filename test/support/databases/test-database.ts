import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askSetup } from '../setup-door.ts';
import { createDatabase } from './postgres.ts';
import type { PreparedDatabases } from './prepared-databases.ts';

/** For tests of the store's contract, of races between processes, and of a few whole flows. */
export const databaseKinds = ['sqlite', 'postgres'] as const;

type DatabaseKind = (typeof databaseKinds)[number];

/** For tests above the store, where the kind of database makes no difference. `npm run proof` runs them on both. */
export const usualDatabaseKinds: readonly DatabaseKind[] =
  process.env.ZOO_TEST_DATABASES === 'all' ? databaseKinds : ['sqlite'];

export interface TestDatabase {
  /** The same form as `[db]` in the config. */
  db: { path: string } | { url: string };
  remove(): Promise<void>;
}

/** Creates a database for one test. Unless it should be empty, it is a copy with all tables, which is quicker than a migration. */
export async function newTestDatabase(kind: DatabaseKind, { isEmpty = false } = {}): Promise<TestDatabase> {
  if (kind === 'postgres') {
    const { url, template } = await prepared('postgres');
    return {
      db: { url: await createDatabase(url, isEmpty ? undefined : template) },
      remove: async () => {},
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'zoo-store-'));
  const path = join(folder, 'zoo.db');
  if (!isEmpty) await copyFile((await prepared('sqlite')).template, path);
  return {
    db: { path },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Puts a database with all tables where a hub with this data folder expects it. */
export async function fillHome(home: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await copyFile((await prepared('sqlite')).template, join(home, 'zoo.sqlite'));
}

async function prepared<K extends DatabaseKind>(kind: K): Promise<PreparedDatabases[K]> {
  // The setup replies with the database that it prepared under that name.
  return (await askSetup(kind)) as PreparedDatabases[K];
}
