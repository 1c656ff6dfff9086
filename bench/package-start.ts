import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBenchAgent } from './bench-agent.ts';
import { StdioPeer } from './load.ts';
import { type BenchRow, measureRounds, toRow } from './measure.ts';
import type { PackageBench } from './package.ts';

const floor = (name: string) => join(import.meta.dirname, 'floors', name);
/** How long a server runs before its client kills it. */
const lifeMs = 300;

/** Measures the time from start to the reply to `tools/list`, for a client that closes the server and one that kills it. */
export async function benchStart({ rounds, zoo, env, folder }: PackageBench): Promise<BenchRow[]> {
  // A separate folder, without anything that a clean end writes.
  const killedEnv = {
    ...env,
    AGENT_ZOO_HOME: join(folder, 'killed'),
    NODE_COMPILE_CACHE: join(folder, 'killed-cache'),
  };
  await makeBenchAgent(killedEnv.AGENT_ZOO_HOME);
  const start = (args: string[], end: 'close' | 'kill', own: Record<string, string>) => async () => {
    const began = performance.now();
    const peer = new StdioPeer(process.execPath, args, own);
    await peer.initialize();
    await peer.request('tools/list', {});
    const took = performance.now() - began;
    await sleep(lifeMs);
    await peer[end]();
    return took;
  };
  const times = await measureRounds(Math.max(rounds * 3, 15), {
    floor: start([floor('start.mjs')], 'close', env),
    sdk: start([floor('sdk-minimal.mjs')], 'close', env),
    closed: start([zoo, 'mcp'], 'close', env),
    killed: start([zoo, 'mcp'], 'kill', killedEnv),
  });
  const row = (what: string, time: number, goal?: number) =>
    toRow({
      what,
      floor: 'hand-written server',
      ratio: time / times.floor,
      goal,
      isAtLeast: false,
      detail: `${time.toFixed(0)} of ${times.floor.toFixed(0)} ms`,
    });
  return [
    row('start to tools/list', times.closed, 2.5),
    row('start to tools/list, killed each time', times.killed, 2.5),
    row('… minimal SDK server', times.sdk),
  ];
}
