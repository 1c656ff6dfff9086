import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The message that each message of a chat follows, so that an edited or repeated message becomes a branch. Null in rows of older
 * versions; there, `superseded_by` tells what was current when a message was added.
 */
export const chatBranches: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('messages').addColumn('parent_id', 'text').execute();
  },
};
