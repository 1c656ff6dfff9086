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

/** Whether it is sure that a holder's process has ended. Of other machines only its lease tells. */
export function hasEnded(holder: string): boolean {
  const [where, pid = ''] = holder.split(' ');
  if (where !== machineName()) return false;
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
