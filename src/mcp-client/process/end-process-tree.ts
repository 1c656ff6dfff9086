import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { isLeaderAlive, killTreeNow, livingProcesses, type ProcessTree, signalTree } from './process-tree.ts';

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
