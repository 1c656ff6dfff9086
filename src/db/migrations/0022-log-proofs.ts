import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Proofs that old entries of the decision log were deleted by the hub: for each chain that it shortened, and for each chain that it
 * deleted or a restore replaced. Existing hashes stay as they are.
 */
export const logProofs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const chains = db.schema.alterTable('decision_chains');
    await chains.addColumn('start_proof', 'text', (column) => column.notNull().defaultTo('')).execute();
    await sql`create table decision_cuts (id text not null primary key, kind text not null, at bigint not null,
      detail text not null, proof text not null)`.execute(db);
  },
};
