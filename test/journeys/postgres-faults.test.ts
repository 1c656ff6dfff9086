import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresFaultList, workThroughFault } from '../../bench/proofs/postgres-fault-proofs.ts';
import { type RunningPostgres, startPostgres } from '../support/databases/postgres.ts';

/** One fault of each kind: the server ends, its connections end, only its replies are lost, it accepts no writes. */
const faults = [
  'kill -9 of the server',
  '`pg_terminate_backend` of every connection',
  'network that swallows packets',
  'failover to a server that takes no writes',
].map((name) => {
  const fault = postgresFaultList.find((each) => each.name === name);
  if (!fault) throw new Error(`There is no fault "${name}".`);
  return fault;
});

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres({ isDurable: false });
});
afterAll(() => server.stop());

// `npm run proof` has more faults, repeats each many times and measures how long callers waited.
it.each(faults)('a serving hub survives: $name', { timeout: 120_000 }, async (fault) => {
  const { acknowledged, lost } = await workThroughFault(server, fault, 1);
  expect(lost).toBe(0);
  expect(acknowledged).toBeGreaterThan(1);
});
