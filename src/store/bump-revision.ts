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
