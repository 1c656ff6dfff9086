import { Leases } from '../../../src/db/leases.ts';
import { StoredDecisions } from '../../../src/decisions/decisions.store.ts';

/** The decision log alone, on a database that the caller opened. */
export function openLog(parts: Omit<ConstructorParameters<typeof StoredDecisions>[0], 'leases'>): StoredDecisions {
  return new StoredDecisions({ ...parts, leases: new Leases(parts) });
}
