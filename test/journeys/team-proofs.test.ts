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
    const { mails, faults, problems } = await mailUnderFaults({ ...place, faults: 8 });
    expect(problems).toEqual([]);
    expect(mails).toBeGreaterThan(0);
    expect(faults['between mail and event']).toBeGreaterThanOrEqual(8);
  });

  it('has one effect and one answer for a key, in two processes', async () => {
    const proof = await callsWithKeys({ ...place, keys: 4, callsPerKey: 6 });
    expect(proof).toMatchObject({ answers: 24, effects: 4, problems: [] });
  });

  it('gives no task to two members and strands none, although one of two processes is killed', async () => {
    const proof = await claimFromProcesses({ ...place, tasks: 16, claimers: 4 });
    expect(proof).toMatchObject({ completed: 16, problems: [] });
    expect(proof.claims).toBeGreaterThanOrEqual(12);
  });

  it('loses nothing that was acknowledged when its server is killed, and closes what was left open', async () => {
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
