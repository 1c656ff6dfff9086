import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * What a database says of the things that lists of tools are made from, as one text to compare: without the tables' code, which
 * takes longer to load than to ask. Another file under the same name has another inode, another oldest chain of the log, or
 * other agents. Throws where there is no such database.
 */
export function listStateOf(database: string): string {
  const { ino } = statSync(database);
  // Not `readOnly`: the files beside a database in WAL mode may have to be made for reading it.
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
