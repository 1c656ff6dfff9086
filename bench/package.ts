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
  /** With a data folder that holds one agent, `bench`. */
  env: { AGENT_ZOO_HOME: string; ZOO_LOG: string };
  /** For the databases of the floors. */
  folder: string;
}

/** The packed and installed package beside hand-written servers: calls, start and memory. Every goal of the package is in this table. */
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
