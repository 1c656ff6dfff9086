import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningPostgres, startPostgres } from '../support/postgres.ts';
import { postgresFaultList, workThroughFault } from '../support/postgres-fault-proofs.ts';

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

// `npm run proof` repeats each many times and measures how long callers waited.
it.each(postgresFaultList)('a serving hub lives through: $name', { timeout: 120_000 }, async (fault) => {
  const { acknowledged, lost } = await workThroughFault(server, fault, 1);
  expect(lost).toBe(0);
  expect(acknowledged).toBeGreaterThan(1);
});
