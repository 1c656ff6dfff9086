import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type ProcessStat, readProcessFile, readStat } from '../../base/process-stat.ts';

/** An environment variable that marks every process of a server, even one that left the group and lost its parent. */
export const treeVariable = 'AGENT_ZOO_PROCESS_TREE';

export interface ProcessTree {
  /** The process that we started; it leads its own process group. */
  pid: number;
  /** The value of `treeVariable`. */
  mark: string;
  /** Processes that were seen, with their start times: process ids are reused, start times tell them apart. */
  seen: Map<number, string>;
}

/** How many processes to inspect before yielding to the event loop: inspecting all processes of a machine takes milliseconds. */
const batchSize = 8;

/**
 * Returns the running processes of the tree. With /proc, this includes processes that started their own session and all descendants;
 * without it, only the process group can be checked.
 */
async function livingProcesses(tree: ProcessTree): Promise<number[]> {
  const look = scanProcesses(tree);
  for (let step = look.next(); ; step = look.next()) {
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** The synchronous version, for a process that is exiting. */
function livingNow(tree: ProcessTree): number[] {
  const look = scanProcesses(tree);
  for (let step = look.next(); ; step = look.next()) if (step.done) return step.value;
}

function* scanProcesses(tree: ProcessTree): Generator<void, number[]> {
  const entries = listProcesses();
  if (entries === undefined) return isGroupAlive(tree.pid) ? [tree.pid] : [];
  const children = new Map<number, number[]>();
  const found = new Set<number>();
  let looked = 0;
  for (const name of entries) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    looked += 1;
    if (looked % batchSize === 0) yield;
    const stat = readStat(pid);
    if (stat === undefined || stat.isDead) continue;
    const siblings = children.get(stat.parent);
    if (siblings) siblings.push(pid);
    else children.set(stat.parent, [pid]);
    const isOurs = pid === tree.pid || stat.session === tree.pid || stat.group === tree.pid;
    if (isOurs || tree.seen.get(pid) === stat.startTime || carries(pid, stat, tree.mark)) found.add(pid);
    if (found.has(pid)) tree.seen.set(pid, stat.startTime);
  }
  // The set grows during the iteration.
  for (const pid of found) for (const child of children.get(pid) ?? []) remember(tree, found, child);
  return [...found];
}

/** Creates a unique value of `treeVariable`. It names the owner: our process id and start time. */
export function newTreeMark(): string {
  return `${process.pid}.${ownStartTime()}.${randomUUID()}`;
}

let ownStart: string | undefined;

function ownStartTime(): string {
  ownStart ??= readStat(process.pid)?.startTime ?? '0';
  return ownStart;
}

let hasSwept = false;

/**
 * Kills leftover servers whose hub was killed before it could end them. Most servers exit when their input ends, but some do not.
 * Runs once per process, and only on systems with /proc.
 */
export function endOrphans(): void {
  if (hasSwept) return;
  hasSwept = true;
  for (const name of listProcesses() ?? []) {
    const owner = Number(name) === process.pid ? undefined : ownerOf(Number(name));
    if (owner && readStat(owner.pid)?.startTime !== owner.startTime) send(Number(name), 'SIGKILL');
  }
}

function ownerOf(pid: number): { pid: number; startTime: string } | undefined {
  const text = Number.isInteger(pid) ? readProcessFile(`/proc/${pid}/environ`) : undefined;
  const match = text === undefined ? null : ownedBy.exec(text);
  return match ? { pid: Number(match[1]), startTime: match[2] ?? '' } : undefined;
}

const ownedBy = new RegExp(`(?:^|\\0)${treeVariable}=(\\d+)\\.(\\d+)\\.[0-9a-f-]{36}\\0`);

/** Once its parent has ended, nothing else shows which tree a process belongs to. */
function remember(tree: ProcessTree, found: Set<number>, pid: number): void {
  if (found.has(pid)) return;
  const stat = readStat(pid);
  if (stat === undefined || stat.isDead) return;
  found.add(pid);
  tree.seen.set(pid, stat.startTime);
}

/** Tells whether the process that we started is running, without scanning all processes. */
function isLeaderAlive(tree: ProcessTree): boolean {
  if (process.platform !== 'linux') return isGroupAlive(tree.pid);
  const stat = readStat(tree.pid);
  return stat !== undefined && !stat.isDead;
}

async function signalTree(tree: ProcessTree, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  send(-tree.pid, signal);
  for (const pid of await livingProcesses(tree)) send(pid, signal);
}

/** The synchronous version, for a process that is exiting. */
function killTreeNow(tree: ProcessTree): void {
  send(-tree.pid, 'SIGKILL');
  for (const pid of livingNow(tree)) send(pid, 'SIGKILL');
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
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

/** A process that is older than ours was not started by us. */
function carries(pid: number, stat: ProcessStat, mark: string): boolean {
  if (Number(stat.startTime) < Number(ownStartTime())) return false;
  return readProcessFile(`/proc/${pid}/environ`)?.includes(`${treeVariable}=${mark}\0`) ?? false;
}

/** A well-behaved server exits when its input ends. Another one gets SIGTERM, then SIGKILL. */
const graceMs = 300;
const termMs = 700;
const killMs = 3_000;
const pollMs = 15;

const living = new Set<ProcessTree>();
const fatalSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Registers a tree that must end when our process ends. */
export function watchProcessTree(tree: ProcessTree): void {
  if (living.size === 0) {
    process.on('exit', endAllNow);
    for (const signal of fatalSignals) process.on(signal, onFatalSignal);
  }
  living.add(tree);
}

/** Ends every process of the tree. Resolves when none is left, or a few seconds after SIGKILL. */
export async function endProcessTree(tree: ProcessTree, endInput: () => void): Promise<void> {
  const hasExited = !isLeaderAlive(tree);
  // Scan now, while each process still has its parent.
  const left = await livingProcesses(tree);
  endInput();
  try {
    if (hasExited && left.length === 0) return;
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
  // The first checks come quickly, because most servers need only a few milliseconds.
  for (let wait = 2; ; wait = Math.min(wait * 2, pollMs)) {
    // Scan all processes of the machine only if the leader has ended.
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

/** If nobody else handles the signal, it would end our process without an `exit` event. So the trees are ended first, then the signal is sent again. */
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
