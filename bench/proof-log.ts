import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { openDatabase } from '../src/store/open-store.ts';
import { fillLog } from '../test/support/databases/fill-log.ts';
import { openLog } from '../test/support/databases/open-log.ts';
import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';

const entries = Number(process.env.ZOO_PROOF_ENTRIES ?? 3_500_000);
const maxSeconds = 60;
const maxBlockedMs = 50;

type Db = Parameters<typeof openDatabase>[0];

/** A log as after a restore: nothing of it is noted yet. True when making its keys and verifying it kept to the limits. */
export async function proveLog(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-proof-'));
  const postgres = await startPostgres();
  try {
    const sqlite = await proveOn('SQLite', { path: join(folder, 'log.db') });
    return (await proveOn('PostgreSQL', { url: await createDatabase(postgres.url) })) && sqlite;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function proveOn(name: string, db: Db): Promise<boolean> {
  const database = await openDatabase(db, silentLogger);
  const began = performance.now();
  await fillLog(database, { entries });
  process.stdout.write(`${name}: ${entries.toLocaleString('en')} entries written in ${seconds(began)} s\n`);
  const decisions = openLog({ database, clock: systemClock, logger: silentLogger });
  const keys = await measure('keys made', (onProgress) => decisions.index({ onProgress }));
  const verified = await measure('verified', async (onProgress) => {
    const { rows, problems } = await decisions.verify({ onProgress });
    if (rows !== entries || problems.length > 0) throw new Error(`${rows} rows, ${problems[0]?.message}`);
  });
  await decisions.close();
  await database.close();
  return keys && verified;
}

/** A thread that does nothing but sleep tells how long the machine itself lets everybody wait. */
async function measure(what: string, run: (onProgress: () => void) => Promise<unknown>): Promise<boolean> {
  const idle = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
     delay.enable();
     parentPort.once('message', () => parentPort.postMessage(delay.max / 1e6));`,
    { eval: true },
  );
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const start = performance.now();
  const cpu = process.cpuUsage();
  let told = 0;
  delay.enable();
  await run(() => {
    told += 1;
  });
  delay.disable();
  const took = seconds(start);
  const used = process.cpuUsage(cpu);
  idle.postMessage('end');
  const [noise]: number[] = await once(idle, 'message');
  await idle.terminate();
  const blocked = delay.max / 1e6;
  process.stdout.write(
    `  ${what} in ${took} s (${((used.user + used.system) / 1e6).toFixed(1)} s of this process), event loop blocked ${blocked.toFixed(0)} ms at most (an idle thread ${(noise ?? 0).toFixed(0)} ms), progress told ${told} times\n`,
  );
  return Number(took) <= maxSeconds && blocked <= Math.max(maxBlockedMs, 2 * (noise ?? 0)) && told > 0;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

if (import.meta.main && !(await proveLog())) process.exitCode = 1;
