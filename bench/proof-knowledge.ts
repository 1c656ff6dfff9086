import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killDuringSync, proveIncremental } from './proofs/knowledge-proofs.ts';

const sizes = { files: 10_000, changed: 100, deleted: 50, renamed: 10 };
const maxPauseMs = 50;
const kills = { files: 300, rounds: 50 };

/** Returns true if a sync touches exactly what changed, blocks nobody, and survives kills at any step. */
export async function proveKnowledge(): Promise<boolean> {
  const incremental = await inFolder(async (folder) => {
    const proof = await proveIncremental({
      db: { path: join(folder, 'zoo.db') },
      root: join(folder, 'files'),
      ...sizes,
    });
    const { first, second, touchedByMistake, problems, rate, pauseMs, busyMs, idleMs } = proof;
    print(
      `${first.added} files, ${first.chunks} chunks: ${(first.durationMs / 1000).toFixed(1)} s, ${rate.toFixed(0)} a second`,
    );
    const isCrowded = idleMs > maxPauseMs / 2;
    const judged = isCrowded ? 'computing, since others kept even an idle process waiting' : 'the clock';
    print(
      `longest pause of the event loop: ${pauseMs.toFixed(1)} ms by the clock (an idle process beside it: ${idleMs.toFixed(1)} ms), ${busyMs.toFixed(1)} ms computing; judged by ${judged}`,
    );
    print(
      `${sizes.changed} changed, ${sizes.deleted} deleted, ${sizes.renamed} renamed: ${second.changed} changed, ${second.added} added, ${second.removed} removed, ${second.unchanged} unchanged, ${touchedByMistake} touched by mistake, ${(second.durationMs / 1000).toFixed(2)} s`,
    );
    for (const problem of problems) print(`  ${problem}`);
    return (
      first.added === sizes.files &&
      second.changed === sizes.changed &&
      second.added === sizes.renamed &&
      second.removed === sizes.deleted + sizes.renamed &&
      second.unchanged === sizes.files - sizes.changed - sizes.deleted - sizes.renamed &&
      touchedByMistake === 0 &&
      problems.length === 0 &&
      (isCrowded ? busyMs : pauseMs) <= maxPauseMs
    );
  });
  const killed = await inFolder(async (folder) => {
    const db = { path: join(folder, 'zoo.db') };
    const result = await killDuringSync({ db, root: join(folder, 'files'), ...kills });
    const steps = Object.entries(result.steps).map(([step, times]) => `${step} ${times}`);
    print(
      `${result.rounds} rounds of kill -9 during a sync: ${result.killed} killed (${steps.join(', ')}), ${result.problems.length} problems`,
    );
    for (const problem of result.problems) print(`  ${problem}`);
    return result.problems.length === 0 && result.killed >= kills.rounds / 2;
  });
  return incremental && killed;
}

async function inFolder(prove: (folder: string) => Promise<boolean>): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-proof-'));
  try {
    return await prove(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main && !(await proveKnowledge())) process.exitCode = 1;
