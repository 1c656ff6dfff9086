import type { Write } from '../db/database.ts';

/**
 * When the last sealed value is gone, any key may begin anew: whoever lost the key deletes what it sealed and goes on. The counter
 * lets one writer of sealed values through at a time.
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

/** The key that sealed what this database holds; `key` when nothing was sealed yet. */
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

/** One row, by which the key that sealed everything else is known again; it tells nothing about the key. */
export interface VaultKeyRow {
  id: 'seal';
  /** Where the key came from, for what people are told when it is missing. */
  origin: 'secret' | 'file';
  check_value: string;
}

interface VaultSecretRow {
  name: string;
  updated_at: number;
  sealed: string;
}
