import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import type { Workspace, WorkspaceStore } from './workspaces.ts';

/** The default agents of folders. They count as a change of agents. */
export function workspaceStore({ database, clock }: { database: Database; clock: Clock }): WorkspaceStore {
  let known: { version: number; workspaces: Workspace[] } | undefined;
  return {
    // Asked for with every list of agents, so it is read again only after a change.
    list: async () => {
      const version = database.changes.version('agents');
      if (known && known.version === version) return known.workspaces;
      const rows = await database.read((db) => db.selectFrom('workspaces').selectAll().orderBy('folder').execute());
      const workspaces = rows.map(({ folder, agent_id }) => ({ folder, agentId: agent_id }));
      known = version === undefined ? undefined : { version, workspaces };
      return workspaces;
    },
    set: ({ folder, agentId }) =>
      database.write(async (write) => {
        const values = { agent_id: agentId, chosen_at: clock.now() };
        write.changed('agents', agentId);
        await write.db
          .insertInto('workspaces')
          .values({ folder, ...values })
          .onConflict((conflict) => conflict.column('folder').doUpdateSet(values))
          .execute();
      }),
    remove: (folder) =>
      database.write(async (write) => {
        const { numDeletedRows } = await write.db
          .deleteFrom('workspaces')
          .where('folder', '=', folder)
          .executeTakeFirst();
        if (numDeletedRows > 0n) write.changed('agents');
        return numDeletedRows > 0n;
      }),
  };
}

declare module '../db/tables.ts' {
  interface Tables {
    workspaces: WorkspaceRow;
  }
}

interface WorkspaceRow {
  folder: string;
  agent_id: string;
  chosen_at: number;
}
