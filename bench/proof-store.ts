import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killDuringSaves, type ProofResult, saveFromProcesses } from './proofs/store-proofs.ts';

const processes = 4;
const saves = 500;
const rounds = 100;

/** Saves from several processes to one SQLite file, and kills them during saves. Returns true if nothing was lost. */
export async function proveStore(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-proof-'));
  try {
    const together = await timed(() => saveFromProcesses({ path: join(folder, 'together.db'), processes, saves }));
    print(`${processes} processes × ${saves} saves on one SQLite file`, together);
    const killed = await timed(() => killDuringSaves({ path: join(folder, 'killed.db'), rounds }));
    print(`${rounds} rounds of kill -9 during saves`, killed);
    return isSound(together) && together.acknowledged === processes * saves && isSound(killed);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Timed = ProofResult & { seconds: number };

async function timed(run: () => Promise<ProofResult>): Promise<Timed> {
  const started = performance.now();
  const result = await run();
  return { ...result, seconds: (performance.now() - started) / 1000 };
}

function isSound(result: ProofResult): boolean {
  return result.stored === result.acknowledged && result.integrity === 'ok';
}

function print(what: string, result: Timed): void {
  const { acknowledged, stored, integrity, seconds } = result;
  process.stdout.write(
    `${what}: ${acknowledged} acknowledged, ${stored} stored, integrity ${integrity}, ${seconds.toFixed(1)} s\n`,
  );
}

if (import.meta.main && !(await proveStore())) process.exitCode = 1;
