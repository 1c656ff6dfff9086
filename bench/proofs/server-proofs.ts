import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerDefinition } from '../../src/servers/server-definition.ts';
import { connectTo } from '../../test/support/servers/start-bad-server.ts';

/** The most resident memory, in megabytes, that `work` took beyond what there was before. */
export async function growthOf(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return (Math.max(peak, process.memoryUsage.rss()) - before) / 1024 / 1024;
}

/** Connects, loses the connection in a call, and connects again after a pause; the pauses come in turns. */
export async function flap(
  definition: ServerDefinition,
  times: number,
  pausesMs: readonly number[] = [],
): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const pauseMs = pausesMs[time % pausesMs.length] ?? 0;
    if (pauseMs > 0) await delay(pauseMs);
    await using bad = await connectTo(definition);
    const error = await bad.connection.callTool('drop', {}).catch((reason) => reason);
    if (error.code !== 'UNAVAILABLE') throw new Error(`A dropped call failed with ${error}`);
    if (definition.transport !== 'streamable-http') await bad.closed;
  }
}

/** Connects, calls and disconnects. */
export async function rounds(definition: ServerDefinition, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await using good = await connectTo(definition);
    await good.connection.callTool('echo', { time });
  }
}

const handleTypes = ['TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'ProcessWrap'];

/** What this process holds open now, to compare with later. */
export function openThings(): Map<string, number> {
  const counts = new Map<string, number>([['child processes', childProcesses().length]]);
  for (const type of process.getActiveResourcesInfo()) {
    if (handleTypes.includes(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/** What is open beyond what was open before. */
export function leftovers(before: ReadonlyMap<string, number>): string[] {
  return [...openThings()].flatMap(([type, count]) => {
    const more = count - (before.get(type) ?? 0);
    return more > 0 ? [`${more} ${type}`] : [];
  });
}

function childProcesses(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === process.pid ? [pid] : [];
    } catch {
      return [];
    }
  });
}
