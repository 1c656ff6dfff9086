import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The tags of agents. They are not part of the stored agent, because processes of earlier versions refuse fields that they do not know. */
export const agentTags: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['agents', 'agent_versions'])
      await db.schema.alterTable(table).addColumn('tags', 'text').execute();
  },
};
