import { startPostgres } from '../test/support/databases/postgres.ts';
import type { ProveFault } from './proof-faults.ts';
import { type PostgresFault, postgresFaultList, workThroughFault } from './proofs/postgres-fault-proofs.ts';

/** Runs each fault on a separate server, while three callers work with a served hub. */
export const postgresFaults: readonly ProveFault[] = postgresFaultList.map(
  (fault: PostgresFault): ProveFault =>
    async () => {
      const server = await startPostgres();
      try {
        const { acknowledged, lost, slowestErrorMs, backAfterMs } = await workThroughFault(server, fault);
        const row = { fault: fault.name, database: 'PostgreSQL', times: fault.times } as const;
        return { ...row, acknowledged, lost, slowestErrorMs, backAfterMs };
      } finally {
        await server.stop();
      }
    },
);
