import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFromProcesses } from '../../bench/proofs/team-proof-claims.ts';
import { mailUnderFaults } from '../../bench/proofs/team-proof-faults.ts';
import { callsWithKeys } from '../../bench/proofs/team-proof-keys.ts';
import { killDuringCalls } from '../../bench/proofs/team-proof-kills.ts';
import type { ProofPlace } from '../../bench/proofs/team-proof-parts.ts';
import { runZoo } from '../support/command/run-zoo.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';

/** The guarantees of a team in a few rounds. `npm run proof` runs them in full. */
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

  it('stores each mail once, with its event, wherever its transactions fail', async () => {
    const { mails, faults, problems } = await mailUnderFaults({ ...place, faults: 8 });
    expect(problems).toEqual([]);
    expect(mails).toBeGreaterThan(0);
    expect(faults['between mail and event']).toBeGreaterThanOrEqual(8);
  });

  it('has one effect and one answer per idempotency key, in two processes', async () => {
    const proof = await callsWithKeys({ ...place, keys: 4, callsPerKey: 6 });
    expect(proof).toMatchObject({ answers: 24, effects: 4, problems: [] });
  });

  it('gives each task to one member and loses none when one of two processes is killed', async () => {
    const proof = await claimFromProcesses({ ...place, tasks: 16, claimers: 4 });
    expect(proof).toMatchObject({ completed: 16, problems: [] });
    expect(proof.claims).toBeGreaterThanOrEqual(12);
  });

  it('loses no acknowledged write when its server is killed, and closes open calls', async () => {
    const proof = await killDuringCalls({ ...place, rounds: 2 });
    expect(proof.problems).toEqual([]);
    expect(proof).toMatchObject({ rounds: 2, integrity: 'ok', closed: proof.open });
    expect(proof.acknowledged).toBeGreaterThanOrEqual(2);
    const verified = await runZoo(['log', 'verify'], { cwd: place.folder });
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^[\d,]+ entries in [\d,]+ chains? verified\. No changes found\./),
    });
  });
});
