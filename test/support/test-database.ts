import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDatabase } from './postgres.ts';

export const databaseKinds = ['sqlite', 'postgres'] as const;

export interface TestDatabase {
  /** As `[db]` says it. */
  db: { path: string } | { url: string };
  remove(): Promise<void>;
}

/** An empty database that no other test uses. */
export async function newTestDatabase(kind: (typeof databaseKinds)[number]): Promise<TestDatabase> {
  if (kind === 'postgres') return { db: { url: await createDatabase(await postgresUrl()) }, remove: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'zoo-store-'));
  return {
    db: { path: join(folder, 'zoo.db') },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function postgresUrl(): Promise<string> {
  const response = await fetch(inject('postgresDoor'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
