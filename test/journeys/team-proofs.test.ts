import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailUnderFaults } from '../support/team-proof-faults.ts';
import { callsWithKeys } from '../support/team-proof-keys.ts';
import type { ProofPlace } from '../support/team-proof-parts.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** The promises of a team with a few rounds; `npm run proof` has them in full length. */
describe.each(databaseKinds)('a team on %s', (kind) => {
  let database: TestDatabase;
  let place: ProofPlace;
  beforeEach(async () => {
    database = await newTestDatabase(kind);
    place = { folder: await mkdtemp(join(tmpdir(), 'zoo-proof-')), db: database.db };
  });
  afterEach(async () => {
    await rm(place.folder, { recursive: true, force: true });
    await database.remove();
  });

  it('has each mail once, with its event, wherever its transactions fail', async () => {
    const { mails, faults, problems } = await mailUnderFaults({ ...place, faults: 30 });
    expect(problems).toEqual([]);
    expect(mails).toBeGreaterThan(0);
    expect(faults['between mail and event']).toBeGreaterThanOrEqual(30);
  });

  it('has one effect and one answer for a key, in two processes', async () => {
    const proof = await callsWithKeys({ ...place, keys: 10, callsPerKey: 10 });
    expect(proof).toMatchObject({ answers: 100, effects: 10, problems: [] });
  });
});
