import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { killDuringSync, proveIncremental } from '../../bench/proofs/knowledge-proofs.ts';
import { newTestDatabase, type TestDatabase, usualDatabaseKinds } from '../support/databases/test-database.ts';

describe.each(usualDatabaseKinds)('a knowledge base on %s', (kind) => {
  let root: string;
  let database: TestDatabase;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'zoo-sync-'));
    database = await newTestDatabase(kind);
  });
  afterEach(async () => {
    await database.remove();
    await rm(root, { recursive: true, force: true });
  });

  it('touches exactly the files that changed, were deleted or renamed', async () => {
    const sizes = { files: 150, changed: 20, deleted: 10, renamed: 5 };
    const { first, second, touchedByMistake, problems } = await proveIncremental({ db: database.db, root, ...sizes });
    expect(first).toMatchObject({ added: 150, changed: 0, removed: 0, failedCount: 0 });
    expect(second).toMatchObject({ added: 5, changed: 20, removed: 15, unchanged: 115, failedCount: 0 });
    expect(touchedByMistake).toBe(0);
    expect(problems).toEqual([]);
  });

  it('shows only whole documents after a kill, and the next sync cleans up', async () => {
    const result = await killDuringSync({ db: database.db, root, files: 150, rounds: 2 });
    expect(result.problems).toEqual([]);
    expect(result.killed).toBeGreaterThanOrEqual(1);
  }, 180_000);
});
