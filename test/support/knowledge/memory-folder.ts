import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../../src/base/holder.ts';

const memory = '/dev/shm';
const prefix = 'agent-zoo-run-';
const neededBytes = 2 * 1024 ** 3;

/**
 * Creates a folder in memory for the temporary files of this run and returns its path, because test databases mostly wait
 * for the disk. Returns undefined if the system has none, it is too small, or programs cannot run in it.
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

/** Frees the memory of runs that were killed. */
function removeLeftOver(): void {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    rmSync(join(memory, name), { recursive: true, force: true });
  }
}
