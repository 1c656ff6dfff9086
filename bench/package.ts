import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBenchAgent } from './bench-agent.ts';
import { installedPackage } from './installed-package.ts';
import type { BenchRow } from './measure.ts';
import { benchExecute } from './package-execute.ts';
import { benchPackageHttp } from './package-http.ts';
import { benchMemory } from './package-memory.ts';
import { benchStart } from './package-start.ts';
import { benchPackageStdio } from './package-stdio.ts';

export interface PackageBench {
  rounds: number;
  /** The installed command's file. */
  zoo: string;
  /** The environment, with a data folder that contains one agent, `bench`. */
  env: { AGENT_ZOO_HOME: string; ZOO_LOG: string };
  /** The folder for the databases of the reference servers. */
  folder: string;
}

/** Measures the installed package against hand-written servers: calls, start and memory. This table has every goal of the package. */
export async function benchPackage(rounds: number): Promise<BenchRow[]> {
  const { zoo } = await installedPackage();
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  const bench = { rounds, zoo, folder, env: { AGENT_ZOO_HOME: join(folder, 'home'), ZOO_LOG: 'error' } };
  try {
    await makeBenchAgent(bench.env.AGENT_ZOO_HOME);
    const rows: BenchRow[] = [];
    for (const part of [benchStart, benchPackageHttp, benchPackageStdio, benchExecute, benchMemory])
      rows.push(...(await part(bench)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
