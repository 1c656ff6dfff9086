import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { packEntry } from '../../decisions/decision-group.ts';
import { automaticDecision, automaticWords, type DecisionEntry, isWorded } from '../../tools/decision-log.ts';

/**
 * Stores the log in groups again, in databases that had turned the groups into one row per entry. Each hash was on the last entry that
 * it covers and was computed over the text of today's group, so it is still valid. Keys and counters are rebuilt in every database;
 * from now on, only the mark records how far they go.
 */
export const rowsToGroups: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { key, sequence, withoutRowid } = typesOf(db);
    if (await hasColumn(db, 'decisions', 'call_id')) {
      await db.schema
        .createTable('decision_groups')
        .addColumn('seq', sequence, (column) => column.primaryKey())
        .addColumn('chain', key, (column) => column.notNull())
        .addColumn('first_no', 'bigint', (column) => column.notNull())
        .addColumn('row_count', 'integer', (column) => column.notNull())
        .addColumn('first_at', 'bigint', (column) => column.notNull())
        .addColumn('last_at', 'bigint', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('entries', 'text', (column) => column.notNull())
        .execute();
      await packRows(db);
      await db.schema.dropTable('decisions').execute();
    }
    if (await hasColumn(db, 'decision_chains', 'noted_no'))
      await db.schema.alterTable('decision_chains').dropColumn('noted_no').execute();
    for (const table of ['decision_keys', 'decision_minutes', 'decision_counts'])
      await db.schema.dropTable(table).execute();
    await db.schema
      .createTable('decision_keys')
      .addColumn('key', key, (column) => column.notNull())
      .addColumn('group_seq', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('decision_keys_key', ['key', 'group_seq'])
      .modifyEnd(withoutRowid)
      .execute();
    await db.schema
      .createTable('decision_minutes')
      .addColumn('minute', 'bigint', (column) => column.primaryKey().notNull())
      .addColumn('first_group', 'bigint', (column) => column.notNull())
      .addColumn('last_group', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('decision_counts')
      .addColumn('minute', 'bigint', (column) => column.notNull())
      .addColumn('tool', key, (column) => column.notNull())
      .addColumn('agent_id', key, (column) => column.notNull())
      .addColumn('calls', 'integer', (column) => column.notNull())
      .addColumn('errors', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('decision_counts_key', ['minute', 'tool', 'agent_id'])
      .modifyEnd(withoutRowid)
      .execute();
    await db.schema.createIndex('decision_counts_by_tool').on('decision_counts').column('tool').execute();
    await sql`update decision_marks set seq = 0`.execute(db);
  },
};

interface Row {
  seq: number;
  chain: string;
  no: number;
  hash: string | null;
  at: number;
  kind: DecisionEntry['kind'];
  call_id: string;
  surface: string;
  agent_id: string | null;
  persona: string | null;
  task_id: string | null;
  tool: string;
  decision: string | null;
  reasoning: string | null;
  context: string;
}

const rowsAtOnce = 1_000;
const maxWithoutChain = 100;

async function packRows(db: Kysely<unknown>): Promise<void> {
  const open = new Map<string, Row[]>();
  for (let after = -1; ; ) {
    const page = sql<Row>`select * from decisions where seq > ${after} order by seq limit ${rowsAtOnce}`;
    const { rows } = await page.execute(db);
    const groups: Row[][] = [];
    for (const row of rows) {
      // Entries without a chain are the oldest and have no hash to end their group.
      if (row.chain !== '' && open.has('')) groups.push(take(open, ''));
      const before = open.get(row.chain)?.at(-1);
      // A gap between entries must stay visible.
      if (before && row.chain !== '' && row.no !== before.no + 1) groups.push(take(open, row.chain));
      const group = open.get(row.chain) ?? [];
      group.push(row);
      open.set(row.chain, group);
      if (row.hash !== null || (row.chain === '' && group.length === maxWithoutChain))
        groups.push(take(open, row.chain));
    }
    const isEnd = rows.length < rowsAtOnce;
    // Without the hash that covers them, the entries cannot be verified.
    if (isEnd) groups.push(...[...open.keys()].map((chain) => take(open, chain)));
    for (const group of groups) await insertGroup(db, group);
    if (isEnd) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

function take(open: Map<string, Row[]>, chain: string): Row[] {
  const rows = open.get(chain) ?? [];
  open.delete(chain);
  return rows;
}

async function insertGroup(db: Kysely<unknown>, rows: readonly Row[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const times = rows.map(({ at }) => at);
  await sql`insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
    values (${first.chain}, ${first.no}, ${rows.length}, ${Math.min(...times)}, ${Math.max(...times)},
      ${rows.at(-1)?.hash ?? ''}, ${rows.map((row) => packEntry(toEntry(row))).join('')})`.execute(db);
}

/** Texts that follow from kind and tool were not stored. */
function toEntry(row: Row): DecisionEntry {
  const { at, kind, surface, persona, tool, context } = row;
  const known = isWorded(kind) ? 'invocation' : kind;
  const decision = row.decision ?? automaticDecision(known, tool);
  const reasoning = row.reasoning ?? automaticWords[known].reasoning;
  const ids = { callId: row.call_id, agentId: row.agent_id, taskId: row.task_id };
  return { ...ids, at, kind, surface, persona, tool, decision, reasoning, context };
}

async function hasColumn(db: Kysely<unknown>, table: string, column: string): Promise<boolean> {
  const columns = isSqlite(db)
    ? sql`select 1 from pragma_table_info(${table}) where name = ${column}`
    : sql`select 1 from information_schema.columns
        where table_schema = current_schema() and table_name = ${table} and column_name = ${column}`;
  return (await columns.execute(db)).rows.length > 0;
}

function isSqlite(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

function typesOf(db: Kysely<unknown>): Record<'key' | 'sequence' | 'withoutRowid', RawBuilder<unknown>> {
  return isSqlite(db)
    ? { key: sql`text`, sequence: sql`integer`, withoutRowid: sql`without rowid` }
    : { key: sql`text collate "C"`, sequence: sql`bigserial`, withoutRowid: sql`` };
}
