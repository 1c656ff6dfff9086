import { closeSync, openSync, readSync } from 'node:fs';

export interface ProcessStat {
  isDead: boolean;
  parent: number;
  group: number;
  session: number;
  /** In clock ticks since the system booted. */
  startTime: string;
}

/** Returns a process's state, or undefined if the system has no /proc, hides the process, or has no such process. */
export function readStat(pid: number): ProcessStat | undefined {
  const text = readProcessFile(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The command's name is in parentheses and may contain spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
  const [state, parent, group, session] = fields;
  // A zombie has ended; only its exit code is waiting to be read.
  const isDead = state === 'Z' || state === 'X';
  return {
    isDead,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: fields[19] ?? '',
  };
}

/** Long enough for most files in /proc; `environ` may be longer. */
const usual = Buffer.allocUnsafeSlow(4_096);
const longest = 1024 * 1024;

/** Reads a file in /proc, usually with one system call: such files report no size, and a scan reads hundreds of them. */
export function readProcessFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const length = readSync(file, usual);
    if (length < usual.length) return usual.toString('latin1', 0, length);
    const rest = Buffer.allocUnsafe(longest);
    return usual.toString('latin1') + rest.toString('latin1', 0, readSync(file, rest));
  } catch {
    // The process has ended, or belongs to another user.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
