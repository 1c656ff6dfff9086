import { join } from 'node:path';
import { injectParams } from './bench-agent.ts';
import { StdioPeer, throughput } from './load.ts';
import { type BenchRow, cpuMillisecondsOf, measureRounds, median, rate, toRow } from './measure.ts';
import type { PackageBench } from './package.ts';

const floor = (name: string) => join(import.meta.dirname, 'floors', name);
const inFlight = 16;
const total = 20_000;

/** Measures `agent_zoo_inject` on stdio against an echo on the SDK's low-level server, and a hand-written one with a commit per turn. */
export async function benchPackageStdio({ rounds, zoo, env, folder }: PackageBench): Promise<BenchRow[]> {
  const peers = {
    ours: new StdioPeer(process.execPath, [zoo, 'mcp'], env),
    sdk: new StdioPeer(process.execPath, [floor('sdk-stdio.ts')]),
    durable: new StdioPeer(process.execPath, [floor('stdio-commits.ts'), join(folder, 'stdio.sqlite')]),
  };
  await Promise.all(Object.values(peers).map((peer) => peer.initialize()));
  const cpu = { ours: [] as number[], sdk: [] as number[], durable: [] as number[] };
  const measure = (name: keyof typeof peers, params: object) => async () => {
    const before = cpuMillisecondsOf(peers[name].pid);
    const perSecond = await throughput(total, inFlight, () => peers[name].request('tools/call', params));
    cpu[name].push(((cpuMillisecondsOf(peers[name].pid) - before) / total) * 1000);
    return perSecond;
  };
  const echo = { name: 'echo', arguments: { agentId: 'bench' } };
  const rates = await measureRounds(rounds, {
    ours: measure('ours', injectParams),
    sdk: measure('sdk', echo),
    durable: measure('durable', echo),
  });
  await Promise.all(Object.values(peers).map((peer) => peer.close()));
  const row = (name: 'ours' | 'durable', what: string, goal?: number) =>
    toRow({
      what,
      floor: 'SDK low-level server, echo',
      ratio: rates[name] / rates.sdk,
      goal,
      isAtLeast: true,
      detail: `${rate(rates[name])} of ${rate(rates.sdk)}; CPU ${median(cpu[name]).toFixed(0)} of ${median(cpu.sdk).toFixed(0)} µs`,
    });
  return [
    row('ours', `inject, stdio, ${inFlight} in flight`, 0.65),
    row('durable', '… by hand, one commit for a turn'),
  ];
}
