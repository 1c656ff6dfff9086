import type pg from 'pg';
import type { BulkInsert, DecisionBatch } from '../database.ts';

/**
 * Takes one array per column, so that any number of groups is the same prepared statement. Returns the groups' numbers, or inserts
 * nothing and returns no rows if the chain is not as its writer left it.
 */
const nextGroups = {
  name: 'insert-decisions',
  text: `insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
    select $1, first_no, row_count, first_at, last_at, hash, entries
    from unnest($2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::text[]) with ordinality
      as added (first_no, row_count, first_at, last_at, hash, entries, place)
    where exists (select from decision_groups where seq = $8 and hash = $9)
    order by place returning seq`,
};

/** The usual case of one group, without the cost of building and parsing arrays. */
const nextGroup = {
  name: 'insert-decision-group',
  text: `insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
    select $1, $2::bigint, $3::integer, $4::bigint, $5::bigint, $6, $7
    where exists (select from decision_groups where seq = $8 and hash = $9) returning seq`,
};

const firstGroups = {
  name: 'insert-first-decisions',
  text: `with chain as (
      insert into decision_chains
        (chain, holder, started_at, first_no, hash_before_first, last_no, last_hash)
      values ($1, $8, $9, 1, '', 0, '')
    )
    insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
    select $1, first_no, row_count, first_at, last_at, hash, entries
    from unnest($2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::text[]) with ordinality
      as added (first_no, row_count, first_at, last_at, hash, entries, place)
    order by place returning seq`,
};

export function insertDecisionsOf(batch: DecisionBatch): { name: string; text: string; values: unknown[] } {
  const { chain, groups, after, holder, startedAt } = batch;
  const [only, ...more] = groups;
  if (only && more.length === 0 && after) {
    const { firstNo, rows, firstAt, lastAt, hash, entries } = only;
    return { ...nextGroup, values: [chain, firstNo, rows, firstAt, lastAt, hash, entries, after.seq, after.hash] };
  }
  const values = [
    chain,
    groups.map((group) => group.firstNo),
    groups.map((group) => group.rows),
    groups.map((group) => group.firstAt),
    groups.map((group) => group.lastAt),
    groups.map((group) => group.hash),
    groups.map((group) => group.entries),
  ];
  return after
    ? { ...nextGroups, values: [...values, after.seq, after.hash] }
    : { ...firstGroups, values: [...values, holder, startedAt] };
}

/**
 * Inserts all rows with one statement that takes one array per column. The lock keeps others from discarding the segment before this
 * transaction ends. Returns one row if the segment is open.
 */
export function fillSegmentQuery(segment: number, inserts: readonly BulkInsert[]): pg.QueryConfig {
  const values: unknown[] = [segment];
  const parts = inserts.map(({ table, columns, rows }, index) => {
    const arrays = columns.map((column, position) => {
      values.push(rows.map((row) => row[position]));
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
