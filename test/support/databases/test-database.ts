import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askSetup } from '../setup-door.ts';
import { createDatabase } from './postgres.ts';
import type { PreparedDatabases } from './prepared-databases.ts';

/** For tests of the store's contract, of processes that race for one database, and of a few whole flows. */
export const databaseKinds = ['sqlite', 'postgres'] as const;

type DatabaseKind = (typeof databaseKinds)[number];

/** For everything above the store, which cannot tell its databases apart. `npm run proof` runs these tests on both. */
export const usualDatabaseKinds: readonly DatabaseKind[] =
  process.env.ZOO_TEST_DATABASES === 'all' ? databaseKinds : ['sqlite'];

export interface TestDatabase {
  /** As `[db]` says it. */
  db: { path: string } | { url: string };
  remove(): Promise<void>;
}

/** A database that no other test uses. It has the tables of this version, which is quicker than making them, unless it is to be empty. */
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

/** Puts a database with the tables of this version where a hub with this data folder looks for one. */
export async function fillHome(home: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await copyFile((await prepared('sqlite')).template, join(home, 'zoo.sqlite'));
}

async function prepared<K extends DatabaseKind>(kind: K): Promise<PreparedDatabases[K]> {
  // The setup answers with what it prepared under that name.
  return (await askSetup(kind)) as PreparedDatabases[K];
}
