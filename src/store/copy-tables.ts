import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

type Row = Record<string, unknown>;

/** Parents before children. The key gives an order in which to read page by page. */
const tables = [
  { name: 'agents', key: ['id'] },
  { name: 'agent_versions', key: ['agent_id', 'revision'] },
  { name: 'brain_entries', key: ['id'] },
  { name: 'decisions', key: ['seq'] },
  { name: 'revisions', key: ['key'] },
] as const satisfies { name: keyof Tables; key: string[] }[];

/** A page of the longest agents is some 40 MB. */
const pageRows = 100;

/** Copies rows between any two databases of this version; decisions are numbered anew, in their order. */
export async function copyTables(
  from: Kysely<Tables>,
  to: Kysely<Tables>,
  options: { except?: keyof Tables } = {},
): Promise<void> {
  for (const table of tables) {
    if (table.name === options.except) continue;
    for await (const rows of pagesOf(from, table.name, table.key)) await insertRows(to, table.name, rows);
  }
}

export async function clearTables(db: Kysely<Tables>, options: { except?: keyof Tables } = {}): Promise<void> {
  for (const { name } of tables.toReversed()) {
    if (name !== options.except) await db.deleteFrom(name).execute();
  }
}

async function* pagesOf(db: Kysely<Tables>, table: string, key: readonly string[]): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: Row | undefined;
  do {
    const page: Row | undefined = last;
    const after = page ? sql`where (${columns}) > (${sql.join(key.map((column) => page[column]))})` : sql``;
    const query = sql<Row>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${pageRows}`;
    const { rows } = await query.execute(db);
    if (rows.length > 0) yield rows;
    last = rows.length === pageRows ? rows.at(-1) : undefined;
  } while (last);
}

async function insertRows(db: Kysely<Tables>, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== 'seq');
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db);
}
