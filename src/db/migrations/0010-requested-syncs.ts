import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A requested sync that is not done yet: the time of the request and its options (JSON). */
export const requestedSyncs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('knowledge_source_states').addColumn('requested_at', 'bigint').execute();
    await db.schema.alterTable('knowledge_source_states').addColumn('request', 'text').execute();
  },
};
