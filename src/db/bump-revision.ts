import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

export async function bumpRevision(db: Kysely<Tables>, key: string): Promise<number> {
  const row = await db
    .insertInto('revisions')
    .values({ key, value: 1 })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: sql<number>`revisions.value + 1` }))
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
}

/** Reads counters by their keys. */
export async function readRevisions(db: Kysely<Tables>, keys: readonly string[]): Promise<number[]> {
  const rows = await db.selectFrom('revisions').select(['key', 'value']).where('key', 'in', keys).execute();
  return keys.map((key) => rows.find((row) => row.key === key)?.value ?? 0);
}
