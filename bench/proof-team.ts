import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runZoo } from '../test/support/command/run-zoo.ts';
import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';
import { claimFromProcesses } from './proofs/team-proof-claims.ts';
import { mailUnderFaults } from './proofs/team-proof-faults.ts';
import { callsWithKeys } from './proofs/team-proof-keys.ts';
import { killDuringCalls } from './proofs/team-proof-kills.ts';
import type { ProofPlace } from './proofs/team-proof-parts.ts';

const faults = 1_000;
const keyed = { keys: 1_000, callsPerKey: 10 };
const claiming = { tasks: 2_000, claimers: 16 };
/** Each series has its own database, because every round rereads the complete log. */
const killRounds = 100;
const killSeries = { SQLite: 5, PostgreSQL: 1 };

/** Returns true if, on both databases, each mail exists once, a key has one effect, a task has one assignee, and a kill loses nothing. */
export async function proveTeam(): Promise<boolean> {
  const sqlite = await proveOn('SQLite', async (folder) => ({ path: join(folder, 'zoo.db') }));
  const postgres = await startPostgres();
  try {
    return (await proveOn('PostgreSQL', async () => ({ url: await createDatabase(postgres.url) }))) && sqlite;
  } finally {
    await postgres.stop();
  }
}

type Prove = (place: ProofPlace) => Promise<{ says: string; problems: readonly string[]; holds: boolean }>;

async function proveOn(
  kind: keyof typeof killSeries,
  newDatabase: (folder: string) => Promise<ProofPlace['db']>,
): Promise<boolean> {
  const series = Array.from({ length: killSeries[kind] }, () => proveKills);
  const proofs: Prove[] = [proveFaults, proveKeys, proveClaims, ...series];
  let all = true;
  for (const prove of proofs) {
    const folder = await mkdtemp(join(tmpdir(), 'zoo-proof-'));
    const started = performance.now();
    try {
      const { says, problems, holds } = await prove({ folder, db: await newDatabase(folder) });
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(`${kind}: ${says}, ${problems.length} problems, ${seconds} s\n`);
      for (const problem of problems) process.stdout.write(`  ${problem}\n`);
      all &&= holds && problems.length === 0;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return all;
}

const proveFaults: Prove = async (place) => {
  const { mails, problems, ...proof } = await mailUnderFaults({ ...place, faults });
  const places = Object.entries(proof.faults).map(([where, times]) => `${times} ${where}`);
  const says = `${mails} mails under transient faults (${places.join(', ')}), ${proof.failedCalls} calls failed in all attempts`;
  return { says, problems, holds: proof.faults['between mail and event'] >= faults };
};

const proveKeys: Prove = async (place) => {
  const { answers, effects, repeated, problems } = await callsWithKeys({ ...place, ...keyed });
  const says = `${keyed.keys} keys × ${keyed.callsPerKey} calls at once over 2 processes: ${effects} effects, ${answers} answers, ${repeated} calls made again`;
  return { says, problems, holds: effects === keyed.keys && answers === keyed.keys * keyed.callsPerKey };
};

const proveClaims: Prove = async (place) => {
  const proof = await claimFromProcesses({ ...place, ...claiming });
  const { completed, claims, returned, heldAtKill, problems } = proof;
  const says = `2 processes × ${claiming.claimers} claimers × ${claiming.tasks} tasks, one process killed: ${completed} completed, ${claims} claims, ${heldAtKill} held by the killed one, ${returned} returned`;
  return { says, problems, holds: completed === claiming.tasks };
};

const proveKills: Prove = async (place) => {
  const proof = await killDuringCalls({ ...place, rounds: killRounds });
  const { rounds, acknowledged, mails, open, closed, rows, chains, integrity, problems } = proof;
  const verified = await runZoo(['log', 'verify'], { cwd: place.folder });
  const says = `${rounds} rounds of kill -9 during /mcp/execute: ${acknowledged} mails acknowledged, ${mails} there, ${open} calls left open, ${closed} closed, ${rows} rows in ${chains} chains, integrity ${integrity}, zoo log verify: ${verified.stdout.trim()}`;
  return {
    says,
    problems,
    holds: rounds === killRounds && open === closed && integrity === 'ok' && verified.code === 0,
  };
};

if (import.meta.main && !(await proveTeam())) process.exitCode = 1;
