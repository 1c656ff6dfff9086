import type pg from 'pg';
import type { BulkInsert } from '../database.ts';

/**
 * One statement for all rows, with one array for each column. The lock lets nobody discard the segment before this
 * transaction ends. Counts one row when the segment was open.
 */
export function fillSegmentQuery(segment: number, inserts: readonly BulkInsert[]): pg.QueryConfig {
  const values: unknown[] = [segment];
  const parts = inserts.map(({ table, columns, rows }, index) => {
    const arrays = columns.map((column, place) => {
      values.push(rows.map((row) => row[place]));
      return `$${values.length}::${column.type}[]`;
    });
    const names = columns.map((column) => column.name).join(', ');
    return `, part${index} as (insert into ${table} (${names}) select filled.* from open, unnest(${arrays.join(', ')}) as filled)`;
  });
  return {
    name: `fill-${inserts.map((insert) => insert.table).join('-')}`,
    text: `with open as (select id from knowledge_segments where id = $1 and state = 'open' for share)
      ${parts.join('\n')} select id from open`,
    values,
  };
}
