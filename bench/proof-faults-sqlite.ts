import { join } from 'node:path';
import { killDuringSaves } from '../test/support/store-proofs.ts';
import type { ProveFault } from './proof-faults.ts';

export const sqliteFaults: readonly ProveFault[] = [killWriters];

async function killWriters(folder: string): ReturnType<ProveFault> {
  const times = 50;
  const { acknowledged, stored } = await killDuringSaves({ path: join(folder, 'zoo.db'), rounds: times });
  return { fault: 'kill -9 of the writer', database: 'SQLite', times, acknowledged, lost: acknowledged - stored };
}
