import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tables } from '../tables.ts';

export const postgresSql: SqlDialect = {
  // A row gets its number before its transaction ends.
  commitsInOrder: false,
  runsOnEventLoop: false,
  comparesVectors: true,
  now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  lockRows: (query) => query.forUpdate(),
  lockFreeRows: (query) => query.forUpdate().skipLocked(),
  async lockTables(db, tables) {
    await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in exclusive mode`.execute(db);
  },
  async lock(db, number, key) {
    const hash = key === undefined ? sql`` : sql`, hashtext(${key})`;
    await sql`select pg_advisory_xact_lock(${sql.lit(number)}${hash})`.execute(db);
  },
  writersEnded,
  async beginChange(db, { lock, key }) {
    // The number of the transaction, because writers that share a counter wait for each other.
    const query = sql<{
      number: number;
    }>`select pg_advisory_xact_lock(${sql.lit(lock)}, hashtext(${key})), txid_current() as number`;
    const { rows } = await query.execute(db);
    return rows[0]?.number ?? 0;
  },
  settledChange: () => sql<number>`txid_snapshot_xmin(txid_current_snapshot())`,
  least: (one, other) => sql<number>`least(${one}, ${other})`,
  greatest: (one, other) => sql<number>`greatest(${one}, ${other})`,
  numberIn: (column, name) => sql<number | null>`(${column}::json ->> ${sql.lit(name)})::bigint`,
  contains: (column, text) => sql<boolean>`strpos(${column}, ${text}) > 0`,
  mentions: (column, text) =>
    sql<boolean>`strpos(lower((${column}) collate "default"), lower(${text} collate "default")) > 0`,
  textRows: (texts) =>
    sql`(select value collate "C" as value from json_array_elements_text(${JSON.stringify(texts)}::json))`,
  jsonRows: (json) => sql`json_array_elements(${json}::json)`,
  prepared: {
    parameter: (number) => `$${number}`,
    isInList: (column, number, type) => `${column} = any($${number}::${type}[])`,
    rowsOfLists(alias, columns) {
      const lists = columns.map(({ type }, index) => `$${index + 1}::${type}[]`);
      return `unnest(${lists.join(', ')}) as ${alias}(${columns.map(({ name }) => name).join(', ')})`;
    },
  },
};

const maxLooks = 20;
const pauseSeconds = 0.005;

/** Waits for transactions instead of a moment in time: clocks of several machines differ, and a commit may take long. */
async function writersEnded(db: Kysely<Tables>, table: keyof Tables): Promise<boolean> {
  let writers = await writersOf(db, table);
  for (let look = 0; writers.length > 0; look += 1) {
    if (look === maxLooks) return false;
    await sql`select pg_sleep(${pauseSeconds})`.execute(db);
    const running = new Set(await writersOf(db, table));
    writers = writers.filter((writer) => running.has(writer));
  }
  return true;
}

/** A transaction holds this lock from its first row until everybody sees what it wrote. */
async function writersOf(db: Kysely<Tables>, table: keyof Tables): Promise<string[]> {
  const query = sql<{ writer: string }>`select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = ${table}::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()`;
  return (await query.execute(db)).rows.map(({ writer }) => writer);
}
