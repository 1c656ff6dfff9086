import { cpuMillisecondsOf } from '../../measure.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { addSender } from './mail-load.ts';
import { McpSession } from './mcp-session.ts';
import { createProofAgent } from './session-load.ts';

export const growthKinds = ['inject', 'execute', 'mail'] as const;
type GrowthKind = (typeof growthKinds)[number];

/** CPU of all replicas together, in microseconds per call. */
type CallCosts = Record<GrowthKind, number>;

interface Growth {
  /** For one, two and three replicas that share a database. */
  replicas: readonly CallCosts[];
  /** For three replicas with a database each, which share nothing but the machine. */
  apart: CallCosts;
}

/** Calls of each replica before the measurement, until its code is optimised. */
const warmUp = 3_000;
const lanesOfReplica = 16;

/**
 * Measures what a call costs, as fast as it goes, with the same number of calls in flight for each replica. On two cores, three
 * replicas get fewer calls each than one alone, and a process that gets fewer calls writes fewer entries of the log at once. Replicas
 * that share nothing show how much a call costs under the same load without the others.
 */
export async function measureGrowth(newDatabase: () => Promise<string>, calls: number): Promise<Growth> {
  const replicas: CallCosts[] = [];
  for (const count of [1, 2, 3]) replicas.push(await measureFleets([await newDatabase()], { count, calls }));
  const databases = [await newDatabase(), await newDatabase(), await newDatabase()];
  return { replicas, apart: await measureFleets(databases, { count: 1, calls }) };
}

interface FleetLoad {
  /** Replicas on each database. */
  count: number;
  /** Calls of each kind, all replicas together. */
  calls: number;
}

async function measureFleets(databases: readonly string[], { count, calls }: FleetLoad): Promise<CallCosts> {
  await using started = new AsyncDisposableStack();
  const loads: Load[] = [];
  for (const database of databases) {
    const fleet = started.use(await startFleet({ database, count }));
    loads.push(await prepareLoad(fleet, count));
  }
  const cpu = () =>
    loads.flatMap(({ fleet }) => fleet.processes()).reduce((sum, pid) => sum + cpuMillisecondsOf(pid), 0);
  const measure = async (kind: GrowthKind) => {
    const work = (total: number) => Promise.all(loads.map((load) => callAll(load, kind, total)));
    await work(warmUp * count);
    const before = cpu();
    await work(Math.round(calls / loads.length));
    return ((cpu() - before) * 1_000) / calls;
  };
  return { inject: await measure('inject'), execute: await measure('execute'), mail: await measure('mail') };
}

interface Load {
  fleet: Fleet;
  lanes: number;
  /** Throws on anything but a result, which would be cheaper. */
  call: Record<GrowthKind, (lane: number) => Promise<void>>;
}

async function prepareLoad(fleet: Fleet, count: number): Promise<Load> {
  await createProofAgent(fleet);
  const sender = await addSender(fleet, 'worker-1');
  const lanes = lanesOfReplica * count;
  const sessions = await Promise.all(Array.from({ length: lanes }, () => McpSession.open(fleet.url, fleet.owner)));
  return {
    fleet,
    lanes,
    call: {
      inject: async (lane) => {
        const outcome = await sessions[lane]?.call('agent_zoo_inject', { agentId: 'proof' });
        if (outcome?.kind !== 'result') throw new Error(`A call failed without a fault: ${JSON.stringify(outcome)}`);
      },
      // Writes nothing but the log.
      execute: () => sender.call('mcp__agent__get_status'),
      mail: async (lane) => {
        if ((await sender.send(`mail ${lane}`)) === undefined) throw new Error('A mail failed without a fault.');
      },
    },
  };
}

async function callAll({ lanes, call }: Load, kind: GrowthKind, total: number): Promise<void> {
  let next = 0;
  const work = async (lane: number) => {
    while (next < total) {
      next += 1;
      await call[kind](lane);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)));
}
