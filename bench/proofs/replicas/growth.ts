import { cpuMillisecondsOf } from '../../measure.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { addSender } from './mail-load.ts';
import { McpSession } from './mcp-session.ts';
import { createProofAgent } from './session-load.ts';

export interface Growth {
  replicas: number;
  /** CPU of all replicas together, in microseconds per call. */
  inject: number;
  execute: number;
  mail: number;
}

/** Calls of each replica before the measurement, until its code is optimised. */
const warmUp = 3_000;

/** Measures what a call costs all replicas together, with the same number of calls in flight for each replica. */
export async function measureGrowth(newDatabase: () => Promise<string>, calls: number): Promise<Growth[]> {
  const rows: Growth[] = [];
  for (const replicas of [1, 2, 3]) {
    await using fleet = await startFleet({ database: await newDatabase(), count: replicas });
    await createProofAgent(fleet);
    const sender = await addSender(fleet, 'worker-1');
    const sessions = await Promise.all(
      Array.from({ length: 16 * replicas }, () => McpSession.open(fleet.url, fleet.owner)),
    );
    const session = (index: number) => sessions[index % sessions.length] ?? sessions[0];
    const measure = (call: (index: number) => Promise<unknown>) =>
      cpuPerCall(fleet, { calls, lanes: sessions.length, call });
    rows.push({
      replicas,
      inject: await measure(async (lane) => session(lane)?.call('agent_zoo_inject', { agentId: 'proof' })),
      execute: await measure(() => sender.status()),
      mail: await measure((index) => sender.send(`mail ${index}`)),
    });
  }
  return rows;
}

interface Measured {
  calls: number;
  lanes: number;
  call(lane: number): Promise<unknown>;
}

async function cpuPerCall(fleet: Fleet, { calls, lanes, call }: Measured): Promise<number> {
  const work = async (total: number) => {
    let next = 0;
    const lane = async (index: number) => {
      while (next < total) {
        next += 1;
        await call(index);
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  };
  await work(warmUp * fleet.addresses.length);
  const cpu = () => fleet.processes().reduce((sum, pid) => sum + cpuMillisecondsOf(pid), 0);
  const before = cpu();
  await work(calls);
  return ((cpu() - before) * 1000) / calls;
}
