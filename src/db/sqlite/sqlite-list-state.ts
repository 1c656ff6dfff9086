import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Returns a text that changes whenever a list of tools may change. It does not load the store's code, which would take longer than
 * the query. Another file under the same name differs in its inode, its oldest log chain, or its agents. Throws if there is no
 * such database.
 */
export function listStateOf(database: string): string {
  const { ino } = statSync(database);
  // Not `readOnly`: reading a database in WAL mode may have to create the files beside it.
  const connection = new DatabaseSync(database, { timeout: 20 });
  try {
    const row = connection
      .prepare(
        `select (select group_concat(key || '=' || value, ' ') from
            (select key, value from revisions where key in ('agents', 'members', 'servers', 'vault', 'epoch') order by key)) as counters,
          (select count(*) || ' ' || total(revision) || ' ' || total(updated_at) from agents) as agents,
          (select chain from decision_chains order by started_at, chain limit 1) as chain`,
      )
      .get();
    return JSON.stringify([ino, row?.counters, row?.agents, row?.chain]);
  } finally {
    connection.close();
  }
}
