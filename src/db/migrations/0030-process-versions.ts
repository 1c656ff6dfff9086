import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The version of each process, and which process a hub is. Processes of versions before this migration leave them null. */
export const processVersions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['leases', 'hub_presence'])
      await db.schema.alterTable(table).addColumn('version', 'text').execute();
    await db.schema.alterTable('hub_presence').addColumn('holder', 'text').execute();
  },
};
