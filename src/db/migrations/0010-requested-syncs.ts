import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A sync that was asked for and is not done yet: since when, and how it is to be done (JSON). */
export const requestedSyncs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('knowledge_source_states').addColumn('requested_at', 'bigint').execute();
    await db.schema.alterTable('knowledge_source_states').addColumn('request', 'text').execute();
  },
};
