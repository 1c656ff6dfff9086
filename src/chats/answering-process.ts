import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning } from '../base/is-running.ts';

/** Holders of this process that are open. */
const open = new Set<string>();
let machine: string | undefined;

/** A name under which this process holds answers, until `closeHolder`. */
export function openHolder(): string {
  const holder = `${machineName()} ${process.pid} ${randomUUID()}`;
  open.add(holder);
  return holder;
}

export function closeHolder(holder: string): void {
  open.delete(holder);
}

/** Returns whether a holder is on this machine, where its process number tells if it runs. Elsewhere only its lease does. */
export function isHere(holder: string): boolean {
  return holder.split(' ')[0] === machineName();
}

/** Returns whether a holder's process has certainly ended. */
export function hasEnded(holder: string): boolean {
  if (!isHere(holder)) return false;
  const pid = holder.split(' ')[1];
  return Number(pid) === process.pid ? !open.has(holder) : !isRunning(Number(pid));
}

/** Where a process number means the same: the machine since it was started, and on Linux the container. */
function machineName(): string {
  if (machine === undefined) {
    const parts = [hostname(), read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))];
    parts.push(read(() => readlinkSync('/proc/self/ns/pid')));
    machine = createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 16);
  }
  return machine;
}

function read(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
