import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { newId } from './ids.ts';
import { readStat } from './process-stat.ts';

const pattern = /^process (\d+) on .* \((\w+)\.(\d*)\.\w+\)$/;

/** Creates the name under which this process holds leases. Other processes on this machine use it to check whether this one still runs. */
export function newHolder(): string {
  const startTime = readStat(process.pid)?.startTime ?? '';
  return `process ${process.pid} on ${hostname()} (${machineName()}.${startTime}.${newId('holder')})`;
}

/** Returns a short id for a holder: 16 hexadecimal digits. */
export function holderId(holder: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', holder, 'hex').slice(0, 16);
}

/** Returns the holder's name for people, without the part for programs. */
export function holderWords(holder: string): string {
  return holder.replace(/ \([^()]*\)$/, '');
}

/**
 * Returns whether a holder's process still runs, according to the operating system. `unknown`: it is on another machine or in
 * another container, or its process id may have been reused.
 */
export function holderState(holder: string): 'running' | 'ended' | 'unknown' {
  const [, number, machine, startTime] = pattern.exec(holder) ?? [];
  if (number === undefined || machine !== machineName()) return 'unknown';
  const pid = Number(number);
  if (!isRunning(pid)) return 'ended';
  const stat = readStat(pid);
  if (stat === undefined || startTime === '') return 'unknown';
  if (stat.isDead || stat.startTime !== startTime) return 'ended';
  // One process may hold leases under several names and close only one of them.
  return pid === process.pid ? 'unknown' : 'running';
}

let machine: string | undefined;

/** Identifies the scope of process ids: one machine since its boot and, on Linux, one container. */
function machineName(): string {
  if (machine === undefined) {
    const parts = [
      hostname(),
      read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      read(() => readlinkSync('/proc/self/ns/pid')),
    ];
    // Loaded on demand: a process without leases does not need it.
    machine = process.getBuiltinModule('node:crypto').hash('sha256', parts.join(' '), 'hex').slice(0, 16);
  }
  return machine;
}

function read(load: () => string): string {
  try {
    return load();
  } catch {
    return '';
  }
}

/** Returns whether a process runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
