import { readdirSync, readFileSync } from 'node:fs';

/** Every process of a server carries it, also one that left the group and lost its parent. */
export const treeVariable = 'AGENT_ZOO_PROCESS_TREE';

export interface ProcessTree {
  /** The process we started; it leads a group of its own. */
  pid: number;
  /** The value of `treeVariable`. */
  mark: string;
}

/**
 * The processes of the tree that still run. Where the system has /proc, also those that began a session of their own;
 * elsewhere only the group can be asked.
 */
export function livingProcesses(tree: ProcessTree): number[] {
  const entries = listProcesses();
  if (entries === undefined) return isGroupAlive(tree.pid) ? [tree.pid] : [];
  const found: number[] = [];
  for (const name of entries) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = readStat(pid);
    if (stat === undefined || stat.isDead) continue;
    if (pid === tree.pid || stat.session === tree.pid || stat.group === tree.pid || carries(pid, tree.mark))
      found.push(pid);
  }
  return found;
}

export function signalTree(tree: ProcessTree, signal: 'SIGTERM' | 'SIGKILL'): void {
  send(-tree.pid, signal);
  for (const pid of livingProcesses(tree)) send(pid, signal);
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

function listProcesses(): string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readdirSync('/proc');
  } catch {
    return undefined;
  }
}

function isGroupAlive(pid: number): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readStat(pid: number): { isDead: boolean; group: number; session: number } | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The command's name stands in parentheses and may hold spaces and parentheses itself.
  const [state, , group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ', 4);
  // A process that ended and whose parent has not asked for its exit code is a line in a table, not a process.
  return { isDead: state === 'Z' || state === 'X', group: Number(group), session: Number(session) };
}

function carries(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`)?.includes(`${treeVariable}=${mark}\0`) ?? false;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return undefined;
  }
}
