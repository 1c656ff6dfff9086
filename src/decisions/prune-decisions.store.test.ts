import { expect, it, vi } from 'vitest';
import { databaseKinds, newTestDatabase } from '../../test/support/databases/test-database.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase } from '../store/open-store.ts';
import { pruneDecisions } from './prune-decisions.store.ts';

it.each(databaseKinds)('each write that deletes old entries in %s has the time limit of a job', async (kind) => {
  const place = await newTestDatabase(kind);
  const database = await openDatabase(place.db, silentLogger);
  const write = vi.spyOn(database, 'write');
  expect(await pruneDecisions(database, 1_000, { key: undefined, now: 2_000 })).toBe(0);
  expect(write.mock.calls.map(([, options]) => options)).toEqual([{ isJob: true }, { isJob: true }]);
  await database.close();
  await place.remove();
});
