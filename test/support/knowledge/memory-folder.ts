import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../../src/base/holder.ts';

const memory = '/dev/shm';
const prefix = 'agent-zoo-run-';
const neededBytes = 2 * 1024 ** 3;

/**
 * Makes a folder in memory for this run's temporary files, and returns its path: databases of tests wait for the disk most of
 * their time. Undefined where the system has none, where it is small, or where programs in it cannot run.
 */
export function makeMemoryFolder(): string | undefined {
  const folder = join(memory, `${prefix}${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < neededBytes) return undefined;
    removeLeftOver();
    mkdirSync(folder);
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Gives back the memory of runs that were killed. */
function removeLeftOver(): void {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    rmSync(join(memory, name), { recursive: true, force: true });
  }
}
