import type { Database } from '../db/database.ts';

/** A credential, or a one-time code for one. Only its hash is stored. */
export interface AccessKey {
  id: string;
  /** `client`: a key for one client. `session`: a signed-in browser. `code`: signs one browser in, once. */
  kind: 'client' | 'session' | 'code';
  name: string;
  hash: string;
  agentId: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  /** Null if it never expires. */
  expiresAt: number | null;
}

/** Events that happen once and cannot be undone. */
export type Mark = 'claimed' | 'member-token';

export type AccessKeyStore = ReturnType<typeof accessKeyStore>;

export function accessKeyStore(database: Database) {
  return {
    /** A different number after each change by any process; undefined while it is not known. */
    revision: () => database.changes.version('keys'),

    all: (): Promise<AccessKey[]> =>
      database.read(async (db) =>
        (await db.selectFrom('access_keys').selectAll().orderBy('created_at').orderBy('id').execute()).map(toKey),
      ),

    /** Adds a key. With `mark`, adds it only if the mark is not set, and sets the mark. Returns whether the key was added. */
    add: (key: AccessKey, { mark }: { mark?: Mark } = {}): Promise<boolean> =>
      database.write(async (write) => {
        if (mark !== undefined) {
          const first = await write.db
            .insertInto('marks')
            .values({ name: mark, at: key.createdAt })
            .onConflict((conflict) => conflict.doNothing())
            .returning('name')
            .executeTakeFirst();
          if (!first) return false;
        }
        await write.db.insertInto('access_keys').values(toRow(key)).execute();
        write.changed('keys');
        return true;
      }),

    /** Replaces a code by the session it signs in. Returns false if the code was used in the meantime. */
    exchange: (codeId: string, session: AccessKey): Promise<boolean> =>
      database.write(async (write) => {
        const { numDeletedRows } = await write.db.deleteFrom('access_keys').where('id', '=', codeId).executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await write.db.insertInto('access_keys').values(toRow(session)).execute();
        await write.db
          .insertInto('marks')
          .values({ name: 'claimed', at: session.createdAt })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        write.changed('keys');
        return true;
      }),

    /** Deletes one key, or all keys of a kind. Returns how many. */
    remove: (which: { id: string } | { kind: AccessKey['kind'] } | { expiredAt: number }): Promise<number> =>
      database.write(async (write) => {
        let rows = write.db.deleteFrom('access_keys');
        if ('id' in which) rows = rows.where('id', '=', which.id);
        else if ('kind' in which) rows = rows.where('kind', '=', which.kind);
        else rows = rows.where('expires_at', '<=', which.expiredAt);
        const { numDeletedRows } = await rows.executeTakeFirst();
        if (numDeletedRows > 0n) write.changed('keys');
        return Number(numDeletedRows);
      }),

    /** Announces nothing, because no decision depends on it. */
    noteUse: (id: string, at: number): Promise<void> =>
      database.write(
        async (write) => {
          await write.db.updateTable('access_keys').set({ last_used_at: at }).where('id', '=', id).execute();
        },
        { isDurable: false },
      ),

    has: (mark: Mark): Promise<boolean> =>
      database.read(async (db) => {
        const row = await db.selectFrom('marks').select('name').where('name', '=', mark).executeTakeFirst();
        return row !== undefined;
      }),
  };
}

function toRow(key: AccessKey): AccessKeyRow {
  return {
    id: key.id,
    kind: key.kind,
    name: key.name,
    hash: key.hash,
    agent_id: key.agentId,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    expires_at: key.expiresAt,
  };
}

function toKey(row: AccessKeyRow): AccessKey {
  return {
    id: row.id,
    // Only `add` and `exchange` write it.
    kind: row.kind as AccessKey['kind'],
    name: row.name,
    hash: row.hash,
    agentId: row.agent_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}

declare module '../db/tables.ts' {
  interface Tables {
    access_keys: AccessKeyRow;
    marks: MarkRow;
  }
}

interface AccessKeyRow {
  id: string;
  kind: string;
  name: string;
  hash: string;
  agent_id: string | null;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
}

interface MarkRow {
  name: string;
  at: number;
}
