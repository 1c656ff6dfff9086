import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { HubError } from '../base/hub-error.ts';
import { migrations } from './migrations/migrations.ts';
import type { Tables } from './tables.ts';

export const migrationTable = 'zoo_migrations';

export type SchemaState = 'current' | 'behind';

/** Compares the applied migrations with those of this version. Throws INVALID_CONFIG for a database of a newer version. */
export function compareMigrations(applied: readonly string[], location: string): SchemaState {
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) {
    throw new HubError(
      'INVALID_CONFIG',
      `The database ${location} was created by a newer version of Agent Zoo. Update Agent Zoo, or use another database.`,
      { details: { place: location, unknown } },
    );
  }
  return applied.length === Object.keys(migrations).length ? 'current' : 'behind';
}

/** Brings the tables up to date. Call it in a transaction that keeps other processes from migrating at the same time. */
export async function migrate(transaction: Kysely<Tables>, location: string): Promise<void> {
  const exists = (await transaction.introspection.getTables()).some((table) => table.name === migrationTable);
  if (exists && compareMigrations(await appliedMigrations(transaction), location) === 'current') return;
  const migrator = new Migrator({
    db: transaction,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: migrationTable,
    migrationLockTableName: 'zoo_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

export async function appliedMigrations(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)}`.execute(db);
  return rows.map((row) => row.name);
}
