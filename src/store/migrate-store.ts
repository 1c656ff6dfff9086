import { silentLogger } from '../base/logger.ts';
import type { WaitingStep } from '../db/database.ts';
import { processVersion, type ServingProcess, servingProcesses } from '../db/serving-versions.ts';
import { openDatabase, type StoreAddress } from './open-store.ts';

export interface Migrated {
  location: string;
  /** The version that the tables have now. */
  version: string;
  /** Steps that older processes keep from running. */
  waiting: WaitingStep[];
  /** Who uses the database now. */
  processes: ServingProcess[];
}

/** Brings the tables up to date. `isForced` also runs what waits for older processes to stop. Throws as `openStore` does. */
export async function migrateStore(address: StoreAddress, { isForced = false } = {}): Promise<Migrated> {
  const database = await openDatabase(address, silentLogger);
  try {
    const waiting = await database.migrate({ isForced });
    const processes = await database.read(servingProcesses);
    return { location: database.location, version: processVersion, waiting, processes };
  } finally {
    await database.close();
  }
}
