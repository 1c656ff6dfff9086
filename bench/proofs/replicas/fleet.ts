import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installationKeys } from '../../../src/base/installation-keys.ts';
import { ownerSecret } from '../../../src/callers/credentials.ts';
import { type RunningZoo, startZoo } from '../../../test/support/command/run-zoo.ts';
import { type RoundRobinProxy, startRoundRobinProxy } from '../../../test/support/hubs/round-robin-proxy.ts';
import { freePort } from '../../../test/support/servers/free-port.ts';

/** AGENT_ZOO_SECRET of every replica. */
export const secret = 'the secret of all replicas in the proof';
const otherMachine = fileURLToPath(new URL('other-machine.ts', import.meta.url));

export interface Fleet extends AsyncDisposable {
  /** The address that clients use. */
  url: string;
  proxy: RoundRobinProxy;
  owner: { authorization: string };
  /** The replicas' own addresses. */
  addresses: readonly string[];
  /** Returns how many requests the replica had, or received while it was killed. */
  kill(index: number): Promise<number>;
  start(index: number): Promise<void>;
  /** Resolves when every replica says that it is ready. Returns the time it took. */
  ready(): Promise<number>;
  /** The process ids of the running replicas. */
  processes(): number[];
  /** Throws if a replica has ended that nobody killed. */
  checkAlive(): void;
}

export interface FleetOptions {
  database: string;
  count?: number;
  /** How far the clock of each replica is ahead. Each then looks as if it ran on a machine of its own. */
  clockShiftsMs?: readonly number[];
  /** More lines for the config of every replica. */
  config?: string;
  /** Files beside the config of every replica, by name. */
  files?: Readonly<Record<string, string>>;
}

/** Starts `zoo serve` several times on one PostgreSQL, each with its own home, behind a round-robin proxy. */
export async function startFleet({
  database,
  count = 3,
  clockShiftsMs,
  config = '',
  files = {},
}: FleetOptions): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-replicas-'));
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
  const proxy = await startRoundRobinProxy({ targets: addresses });
  const running: (RunningZoo | undefined)[] = [];

  async function start(index: number): Promise<void> {
    const cwd = join(folder, `replica-${index}`);
    await mkdir(cwd, { recursive: true });
    await writeFile(join(cwd, 'zoo.toml'), configOf({ publicUrl: proxy.url, port: ports[index] ?? 0, more: config }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    const machine = clockShiftsMs && {
      PROOF_HOST: `machine-${index}`,
      PROOF_CLOCK_SHIFT_MS: String(clockShiftsMs[index] ?? 0),
    };
    const replica = startZoo(['serve'], {
      cwd,
      node: [process.execPath, '--import', otherMachine],
      env: { DATABASE_URL: database, AGENT_ZOO_SECRET: secret, NODE_NO_WARNINGS: '1', ...machine },
    });
    await replica.says(/Press Ctrl-C/);
    running[index] = replica;
  }

  for (const index of ports.keys()) await start(index);
  const key = await installationKeys({ secret }).key('owner');
  const fleet: Fleet = {
    url: proxy.url,
    proxy,
    owner: { authorization: `Bearer ${ownerSecret(key)}` },
    addresses,
    start,
    async kill(index) {
      const replica = running[index];
      const address = addresses[index] ?? '';
      const received = () => proxy.counts.get(address) ?? 0;
      const [underWay, before] = [proxy.underWay(address), received()];
      running[index] = undefined;
      replica?.process.kill('SIGKILL');
      await replica?.ended;
      return underWay + received() - before;
    },
    async ready() {
      const began = performance.now();
      await Promise.all(addresses.map(isReady));
      return performance.now() - began;
    },
    processes: () => running.flatMap((replica) => replica?.process.pid ?? []),
    checkAlive() {
      const ended = running.findIndex((replica) => replica && replica.process.exitCode !== null);
      if (ended !== -1) throw new Error(`Replica ${ended} ended by itself.`);
    },
    async [Symbol.asyncDispose]() {
      for (const replica of running) await replica?.[Symbol.asyncDispose]();
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return fleet;
}

function configOf({ publicUrl, port, more }: { publicUrl: string; port: number; more: string }): string {
  return `[server]
bind = "127.0.0.1:${port}"
public_url = "${publicUrl}"
trusted_proxies = ["127.0.0.1"]
caller_limit = 0
address_limit = 0
${more}`;
}

async function isReady(address: string): Promise<void> {
  for (;;) {
    const status = await fetch(`${address}/ready`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await setTimeout(20);
  }
}
