import { closeSync, openSync, readSync } from 'node:fs';

export interface ProcessStat {
  isDead: boolean;
  parent: number;
  group: number;
  session: number;
  /** In ticks since the system began. */
  begun: string;
}

/** Undefined where the system has no /proc, hides the process, or has none of this number. */
export function readStat(pid: number): ProcessStat | undefined {
  const text = readProcessFile(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The command's name stands in parentheses and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
  const [state, parent, group, session] = fields;
  // A process that ended and whose parent has not asked for its exit code is a line in a table, not a process.
  const isDead = state === 'Z' || state === 'X';
  return { isDead, parent: Number(parent), group: Number(group), session: Number(session), begun: fields[19] ?? '' };
}

/** What /proc says is at most so long; `environ` is as long as somebody made it. */
const usual = Buffer.allocUnsafeSlow(4_096);
const longest = 1024 * 1024;

/** These files have no size that could be asked for, and a look reads hundreds of them: one read is enough for most. */
export function readProcessFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const length = readSync(file, usual);
    if (length < usual.length) return usual.toString('latin1', 0, length);
    const rest = Buffer.allocUnsafe(longest);
    return usual.toString('latin1') + rest.toString('latin1', 0, readSync(file, rest));
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
