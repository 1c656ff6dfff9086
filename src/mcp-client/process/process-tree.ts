import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type ProcessStat, readProcessFile, readStat } from '../../base/process-stat.ts';

/** Every process of a server carries it, also one that left the group and lost its parent. */
export const treeVariable = 'AGENT_ZOO_PROCESS_TREE';

export interface ProcessTree {
  /** The process we started; it leads a group of its own. */
  pid: number;
  /** The value of `treeVariable`. */
  mark: string;
  /** Those that were found once, by when they began: a number is given again, a process is not. */
  found: Map<number, string>;
}

/** Between two goes others have their turn: a look at every process of a machine takes milliseconds. */
const inOneGo = 8;

/**
 * The processes of the tree that still run. Where the system has /proc, also those that began a session of their own, and
 * those that one of the tree started; elsewhere only the group can be asked.
 */
async function livingProcesses(tree: ProcessTree): Promise<number[]> {
  const look = lookAround(tree);
  for (let step = look.next(); ; step = look.next()) {
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** The same at once, for a process that ends. */
function livingNow(tree: ProcessTree): number[] {
  const look = lookAround(tree);
  for (let step = look.next(); ; step = look.next()) if (step.done) return step.value;
}

function* lookAround(tree: ProcessTree): Generator<void, number[]> {
  const entries = listProcesses();
  if (entries === undefined) return isGroupAlive(tree.pid) ? [tree.pid] : [];
  const children = new Map<number, number[]>();
  const found = new Set<number>();
  let looked = 0;
  for (const name of entries) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    looked += 1;
    if (looked % inOneGo === 0) yield;
    const stat = readStat(pid);
    if (stat === undefined || stat.isDead) continue;
    const siblings = children.get(stat.parent);
    if (siblings) siblings.push(pid);
    else children.set(stat.parent, [pid]);
    const isOurs = pid === tree.pid || stat.session === tree.pid || stat.group === tree.pid;
    if (isOurs || tree.found.get(pid) === stat.begun || carries(pid, stat, tree.mark)) found.add(pid);
    if (found.has(pid)) tree.found.set(pid, stat.begun);
  }
  // A set grows while it is walked through.
  for (const pid of found) for (const child of children.get(pid) ?? []) remember(tree, found, child);
  return [...found];
}

/** A value of `treeVariable` that no other tree has, and that says whose it is: which process of ours, and when that began. */
export function newTreeMark(): string {
  return `${process.pid}.${ownBegin()}.${randomUUID()}`;
}

let begun: string | undefined;

function ownBegin(): string {
  begun ??= readStat(process.pid)?.begun ?? '0';
  return begun;
}

let isSwept = false;

/**
 * Ends what is left of servers whose hub was killed before it could end them: most leave when their input ends, and some do not.
 * Looks once for each process of ours, and only where the system has /proc.
 */
export function endOrphans(): void {
  if (isSwept) return;
  isSwept = true;
  for (const name of listProcesses() ?? []) {
    const owner = Number(name) === process.pid ? undefined : ownerOf(Number(name));
    if (owner && readStat(owner.pid)?.begun !== owner.begun) send(Number(name), 'SIGKILL');
  }
}

function ownerOf(pid: number): { pid: number; begun: string } | undefined {
  const text = Number.isInteger(pid) ? readProcessFile(`/proc/${pid}/environ`) : undefined;
  const found = text === undefined ? null : ownedBy.exec(text);
  return found ? { pid: Number(found[1]), begun: found[2] ?? '' } : undefined;
}

const ownedBy = new RegExp(`(?:^|\\0)${treeVariable}=(\\d+)\\.(\\d+)\\.[0-9a-f-]{36}\\0`);

/** When its parent ended, nothing but this tells whose it was. */
function remember(tree: ProcessTree, found: Set<number>, pid: number): void {
  if (found.has(pid)) return;
  const stat = readStat(pid);
  if (stat === undefined || stat.isDead) return;
  found.add(pid);
  tree.found.set(pid, stat.begun);
}

/** Whether the one that we started runs, without a look at all others. */
function isLeaderAlive(tree: ProcessTree): boolean {
  if (process.platform !== 'linux') return isGroupAlive(tree.pid);
  const stat = readStat(tree.pid);
  return stat !== undefined && !stat.isDead;
}

async function signalTree(tree: ProcessTree, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  send(-tree.pid, signal);
  for (const pid of await livingProcesses(tree)) send(pid, signal);
}

/** For a process that ends and cannot wait. */
function killTreeNow(tree: ProcessTree): void {
  send(-tree.pid, 'SIGKILL');
  for (const pid of livingNow(tree)) send(pid, 'SIGKILL');
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

/** One that began before us was not started by us. */
function carries(pid: number, stat: ProcessStat, mark: string): boolean {
  if (Number(stat.begun) < Number(ownBegin())) return false;
  return readProcessFile(`/proc/${pid}/environ`)?.includes(`${treeVariable}=${mark}\0`) ?? false;
}

/** A server that reads its input to the end leaves by itself; one that does not is asked, then ended. */
const graceMs = 300;
const termMs = 700;
const killMs = 3_000;
const pollMs = 15;

const living = new Set<ProcessTree>();
const fatalSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Remembers a tree, so that it ends with us. */
export function watchProcessTree(tree: ProcessTree): void {
  if (living.size === 0) {
    process.on('exit', endAllNow);
    for (const signal of fatalSignals) process.on(signal, onFatalSignal);
  }
  living.add(tree);
}

/** Ends every process of the tree. Resolves when none is left, or when even SIGKILL did not help for seconds. */
export async function endProcessTree(tree: ProcessTree, endInput: () => void): Promise<void> {
  const hasLeft = !isLeaderAlive(tree);
  // Now, while each still has its parent.
  const left = await livingProcesses(tree);
  endInput();
  try {
    if (hasLeft && left.length === 0) return;
    if (await isGoneWithin(tree, graceMs)) return;
    if (process.platform === 'win32') {
      await taskkill(tree.pid);
      return;
    }
    await signalTree(tree, 'SIGTERM');
    if (await isGoneWithin(tree, termMs)) return;
    await signalTree(tree, 'SIGKILL');
    await isGoneWithin(tree, killMs);
  } finally {
    forget(tree);
  }
}

async function isGoneWithin(tree: ProcessTree, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs;
  // The first looks come quickly, because most servers need a few milliseconds.
  for (let wait = 2; ; wait = Math.min(wait * 2, pollMs)) {
    // All processes of the machine are looked at only when there is a chance that none of the tree is left.
    if (!isLeaderAlive(tree) && (await livingProcesses(tree)).length === 0) return true;
    if (performance.now() >= until) return false;
    await delay(wait);
  }
}

function forget(tree: ProcessTree): void {
  if (!living.delete(tree) || living.size > 0) return;
  process.off('exit', endAllNow);
  for (const signal of fatalSignals) process.off(signal, onFatalSignal);
}

function endAllNow(): void {
  for (const tree of living) killTreeNow(tree);
}

/** Where nobody else handles the signal it would end us without an `exit` event: the trees end first, then we do as before. */
function onFatalSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAllNow();
  process.off(signal, onFatalSignal);
  process.kill(process.pid, signal);
}

function taskkill(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}
