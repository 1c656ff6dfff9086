import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';
import { mark, printCells } from './measure.ts';
import { tryClients, tryConformance } from './proofs/replicas/clients.ts';
import { slowCalls, slowSeconds, workWithClocksApart } from './proofs/replicas/clocks.ts';
import { startFleet } from './proofs/replicas/fleet.ts';
import { growthKinds, measureGrowth } from './proofs/replicas/growth.ts';
import { restartUnderLoad } from './proofs/replicas/restarts.ts';
import { createProofAgent, runSessionLoad } from './proofs/replicas/session-load.ts';

const load = { sessions: 1_000, callsPerSession: 30, inFlight: 32, killEveryMs: 5_000 };
const restarts = 20;
const mails = 300;
const growthCalls = 4_000;
const maxGrowth = 1.3;

interface Row {
  what: string;
  result: string;
  holds: boolean;
}

/** Returns true if three replicas behind a round-robin proxy lose nothing, double nothing and answer every client. */
export async function proveReplicas(): Promise<boolean> {
  const server = await startPostgres();
  const newDatabase = () => createDatabase(server.url);
  const rows: Row[] = [];
  const add = (some: readonly Row[]) => {
    rows.push(...some);
    printCells(some.map(({ what, result, holds }) => [mark(holds), what, result]));
  };
  try {
    add(await proveClients(await newDatabase()));
    add(await proveConformance(await newDatabase()));
    add([await proveKills(await newDatabase())]);
    add([await proveClocks(await newDatabase())]);
    add(await proveGrowth(newDatabase));
  } finally {
    await server.stop();
  }
  add([await proveRestarts()]);
  return rows.every(({ holds }) => holds);
}

async function proveClients(database: string): Promise<Row[]> {
  await using fleet = await startFleet({ database });
  await createProofAgent(fleet);
  const tried = await tryClients(fleet);
  return tried.map(({ client, problem }) => ({
    what: `${client} through the proxy`,
    result: problem ?? 'lists tools and injects an agent 12 times',
    holds: problem === undefined,
  }));
}

async function proveConformance(database: string): Promise<Row[]> {
  const suites = await tryConformance(database);
  return suites.map(({ suite, ...rest }) => ({ what: `conformance of ${suite} through the proxy`, ...rest }));
}

async function proveKills(database: string): Promise<Row> {
  await using fleet = await startFleet({ database });
  const result = await runSessionLoad(fleet, database, load);
  for (const problem of result.problems) process.stdout.write(`  ${problem}\n`);
  const { calls, kills, underWay, lostReplies, brokenReplies, typedErrors } = result;
  const { acknowledgedWrites, lostWrites, doubledWrites, problems } = result;
  return {
    what: `${load.sessions} sessions × ${load.callsPerSession} calls, a replica killed every ${load.killEveryMs / 1000} s`,
    result: `${calls} calls, ${kills} kills, ${lostReplies} replies lost of ${underWay} that the killed replicas owed (${lostReplies - brokenReplies} say that they may not be repeated blindly, ${brokenReplies} broke off), ${typedErrors} typed errors; ${acknowledgedWrites} writes acknowledged, ${lostWrites} lost, ${doubledWrites} doubled; ${problems.length} wrong answers`,
    // Only calls in flight on the killed replica fail.
    holds: lostWrites + doubledWrites + problems.length === 0 && kills > 0 && lostReplies + typedErrors <= underWay,
  };
}

async function proveClocks(database: string): Promise<Row> {
  const { outOfOrder, webhooks, doubledWebhooks, missingWebhooks, failedCalls, takenCalls } = await workWithClocksApart(
    database,
    mails,
  );
  return {
    what: 'three machines whose clocks are ten minutes behind, right and ten minutes ahead',
    result: `${mails} mails, ${outOfOrder} out of order; ${webhooks} webhooks, ${doubledWebhooks} doubled, ${missingWebhooks} missing; ${slowCalls} calls of ${slowSeconds} s, ${failedCalls} failed, ${takenCalls} taken from a living replica`,
    holds: outOfOrder + doubledWebhooks + missingWebhooks + failedCalls + takenCalls === 0,
  };
}

async function proveRestarts(): Promise<Row> {
  const result = await restartUnderLoad(restarts);
  const seconds = (result.slowestReturnMs / 1000).toFixed(1);
  return {
    what: `${restarts} restarts of PostgreSQL under load`,
    result: `${result.acknowledged} acknowledged, ${result.lost} lost, ${result.errors} errors; every replica was back within ${seconds} s`,
    holds: result.lost === 0 && result.slowestReturnMs <= 5_000,
  };
}

async function proveGrowth(newDatabase: () => Promise<string>): Promise<Row[]> {
  const { replicas, apart } = await measureGrowth(newDatabase, growthCalls);
  return growthKinds.map((kind) => {
    const costs = replicas.map((row) => row[kind]);
    const [one = 1] = costs;
    const three = costs.at(-1) ?? 0;
    const growth = three / one;
    return {
      what: `CPU per call of 1, 2, 3 replicas: ${kind}`,
      result: `${costs.map((cost) => cost.toFixed(0)).join(', ')} µs: ${growth.toFixed(2)} × (goal: at most ${maxGrowth}); three that share nothing: ${apart[kind].toFixed(0)} µs, ${(apart[kind] / one).toFixed(2)} ×`,
      holds: growth <= maxGrowth,
    };
  });
}
