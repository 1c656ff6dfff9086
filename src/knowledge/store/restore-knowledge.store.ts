import type { Kysely } from 'kysely';
import { bumpRevision } from '../../db/change-bus.ts';
import type { Row } from '../../db/copy-tables.ts';
import type { Tables } from '../../db/tables.ts';
import { documentCounter, segmentCounter } from './segments.store.ts';
import { vectorCounterPrefix } from './vectors.store.ts';

/**
 * Adjusts restored rows so that processes that have the database open keep working. They cache segments and may be writing
 * one, so restored segments get unused numbers. Document numbers stay, because segments contain them, and new ones begin
 * above those of both databases. Pending sync requests are dropped.
 */
export async function continueKnowledge(
  from: Kysely<Tables>,
  to: Kysely<Tables>,
): Promise<{ change(table: keyof Tables, row: Row): Row; finish(): Promise<void> }> {
  const before = await countersOf(to);
  const restored = await countersOf(from);
  const count = (counters: ReadonlyMap<string, number>, key: string) => counters.get(key) ?? 0;
  const offset = count(before, segmentCounter);
  return {
    change(table, row) {
      if (table === 'knowledge_segments') return { ...row, id: Number(row.id) + offset };
      if (table === 'knowledge_postings') return { ...row, segment: Number(row.segment) + offset };
      if (table === 'knowledge_source_states') {
        return { ...row, requested_at: null, request: null };
      }
      return row;
    },
    async finish() {
      const documents = Math.max(count(before, documentCounter), count(restored, documentCounter));
      await setCounter(to, segmentCounter, offset + count(restored, segmentCounter));
      await setCounter(to, documentCounter, documents);
      for (const key of new Set([...before.keys(), ...restored.keys()])) {
        if (key.startsWith(vectorCounterPrefix)) await bumpRevision(to, key);
      }
    },
  };
}

async function countersOf(db: Kysely<Tables>): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('revisions').selectAll().execute();
  return new Map(rows.map((row) => [row.key, row.value]));
}

async function setCounter(db: Kysely<Tables>, key: string, value: number): Promise<void> {
  await db
    .insertInto('revisions')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
