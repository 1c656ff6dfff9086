import type { Kysely } from 'kysely';
import { beginAgentChange } from '../agents/agent-changes.store.ts';
import { bumpRevision } from '../db/bump-revision.ts';
import { topics } from '../db/change-bus.ts';
import { clearTables, copyTables } from '../db/copy-tables.ts';
import type { Database, Write } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { continueKnowledge } from '../knowledge/store/restore-knowledge.store.ts';

/** Rows that other processes write during a restore wait, and come after the restored data. */
const lockedTables = ['agents', 'brain_entries', 'team_members', 'mails', 'epics', 'tasks', 'chats'] as const;

/**
 * Replaces all rows of `target` with those of `source` in one transaction. The target's counters go on upward, and so do
 * the agents' revisions, because an editor that still shows the replaced data must not find its revision number again.
 */
export async function replaceContent(source: Database, target: Database, keep: () => Promise<void>): Promise<void> {
  await target.write(
    async (write) => {
      await write.bump('knowledge');
      const serversNumber = await write.bump('servers');
      await write.bump('vault');
      await target.dialect.lockTables(write.db, lockedTables);
      const changeNumber = await beginAgentChange(write.db, target.dialect, '');
      await bumpRevision(write.db, 'epoch');
      await keep();
      const before = await write.db.selectFrom('agents').select(['id', 'revision']).execute();
      const brainsBefore = await agentsWithBrain(write.db);
      // Nobody registers between this look and the end of the transaction.
      await target.dialect.lockTables(write.db, ['event_subscribers']);
      const subscribers = await write.db.selectFrom('event_subscribers').selectAll().execute();
      await clearTables(write.db, { except: 'revisions' });
      await source.read(async (db) => {
        const { change, finish } = await continueKnowledge(db, write.db);
        await copyTables(db, write.db, { except: 'revisions', change });
        await finish();
      });
      await write.db.updateTable('agents').set({ change_number: changeNumber }).execute();
      await write.db.updateTable('servers').set({ revision: serversNumber }).execute();
      await raiseRevisions(write, new Map(before.map((row) => [row.id, row.revision])));
      await keepSubscribers(write.db, subscribers);
      for (const topic of topics) if (topic !== 'brain') write.changed(topic);
      write.changed('brain', ...brainsBefore, ...(await agentsWithBrain(write.db)));
    },
    { isJob: true },
  );
}

async function raiseRevisions(write: Write, before: ReadonlyMap<string, number>): Promise<void> {
  const restored = await write.db.selectFrom('agents').select(['id', 'revision']).execute();
  for (const { id, revision } of restored) {
    const replaced = before.get(id);
    if (replaced === undefined || replaced < revision) continue;
    const next = replaced + 1;
    await write.db.updateTable('agents').set({ revision: next }).where('id', '=', id).execute();
    await write.db
      .insertInto('agent_versions')
      .columns(['agent_id', 'revision', 'action', 'at', 'data'])
      .expression((builder) =>
        builder
          .selectFrom('agents')
          .select((each) => ['id', 'revision', each.val('restore').as('action'), 'updated_at', 'data'])
          .where('id', '=', id),
      )
      .execute();
  }
}

/** Who listens for events is a fact about running processes, not about the backup: they hear of what happens from now on. */
async function keepSubscribers(db: Kysely<Tables>, subscribers: readonly Tables['event_subscribers'][]): Promise<void> {
  for (const { target, type, holder, seen_at } of subscribers) {
    await db
      .insertInto('event_subscribers')
      .values({ target, type, holder, seen_at })
      .onConflict((conflict) => conflict.column('target').doUpdateSet({ holder, seen_at }))
      .execute();
  }
}

async function agentsWithBrain(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom('brain_entries').select('agent_id').distinct().execute();
  return rows.map((row) => row.agent_id);
}
