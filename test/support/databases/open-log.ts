import { Leases } from '../../../src/db/leases.ts';
import { StoredDecisions } from '../../../src/decisions/decisions.store.ts';

/** Opens only the decision log, on a database that the caller has opened. */
export function openLog(parts: Omit<ConstructorParameters<typeof StoredDecisions>[0], 'leases'>): StoredDecisions {
  return new StoredDecisions({ ...parts, leases: new Leases(parts) });
}
