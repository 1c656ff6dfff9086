import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The version of each process. Processes of versions before this migration leave it null. */
export const processVersions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['leases', 'hub_presence'])
      await db.schema.alterTable(table).addColumn('version', 'text').execute();
  },
};
