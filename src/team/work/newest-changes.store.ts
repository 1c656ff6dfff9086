import { type Kysely, type RawBuilder, sql } from 'kysely';
import { parseCursor, toPage } from '../../db/page.ts';
import type { Tables } from '../../db/tables.ts';
import type { Page } from '../team-store.ts';

interface NewestQuery<Row, T> {
  table: 'tasks' | 'epics';
  state?: readonly string[] | undefined;
  conditions?: readonly RawBuilder<unknown>[];
  limit: number;
  cursor?: string | undefined;
  toItem: (row: Row) => T;
}

/**
 * Newest change first. Each state is asked for on its own, because an index gives only the rows of one state in that order;
 * all in one statement, so that a row which moves meanwhile is seen once.
 */
export async function newestChanges<Row extends { updated_at: number; id: string }, T>(
  db: Kysely<Tables>,
  query: NewestQuery<Row, T>,
): Promise<Page<T>> {
  const { limit, state } = query;
  const after = parseCursor(query.cursor);
  const order = sql`order by updated_at desc, id desc limit ${limit + 1}`;
  const common = [...(query.conditions ?? [])];
  if (after) common.push(sql`(updated_at, id) < (${after[0]}, ${after[1]})`);
  const ranges = state === undefined ? [common] : [...new Set(state)].map((each) => [sql`state = ${each}`, ...common]);
  if (ranges.length === 0) return { items: [], cursor: null };
  const parts = ranges.map((conditions) => {
    const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
    return sql`select * from (select * from ${sql.table(query.table)} ${where} ${order}) as part`;
  });
  const { rows } = await sql<Row>`${sql.join(parts, sql` union all `)} ${order}`.execute(db);
  return toPage(rows, limit, { item: query.toItem, position: (row) => [row.updated_at, row.id] });
}
