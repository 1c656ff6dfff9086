import type { Write } from '../db/database.ts';

/**
 * Deletes sealed values. When the last one is gone, the key's row is deleted too, so that a new key can be used after the old one was
 * lost. The counter allows one writer of sealed values at a time.
 */
export async function deleteSealed(write: Write, run: () => Promise<unknown>): Promise<void> {
  await write.bump('vault');
  await run();
  const [secret, server] = [
    await write.db.selectFrom('vault_secrets').select('name').limit(1).executeTakeFirst(),
    await write.db.selectFrom('servers').select('name').limit(1).executeTakeFirst(),
  ];
  if (!secret && !server) await write.db.deleteFrom('vault_keys').execute();
}

/** Returns the row of the key that sealed the values in this database. Stores and returns `key` if there is none yet. */
export async function claimKey(write: Write, key: Omit<VaultKeyRow, 'id'>): Promise<VaultKeyRow> {
  await write.bump('vault');
  const row = await write.db.selectFrom('vault_keys').selectAll().executeTakeFirst();
  if (row) return row;
  const first: VaultKeyRow = { id: 'seal', ...key };
  await write.db.insertInto('vault_keys').values(first).execute();
  return first;
}

declare module '../db/tables.ts' {
  interface Tables {
    vault_keys: VaultKeyRow;
    vault_secrets: VaultSecretRow;
  }
}

/** A single row that identifies the key that sealed everything else, without revealing it. */
export interface VaultKeyRow {
  id: 'seal';
  /** Where the key came from, for the error message when it is missing. */
  origin: 'secret' | 'file';
  check_value: string;
}

interface VaultSecretRow {
  name: string;
  updated_at: number;
  sealed: string;
}
