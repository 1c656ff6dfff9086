import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DecisionEntry } from '../../tools/decision-log.ts';
import { hashOf } from '../decisions-chain.ts';
import { packEntry } from '../decisions-pack.ts';

const pageRows = 1_000;
const groupRows = 100;

/**
 * Entries of the log that are written together become one row. A call pays for each page that a commit touches, and a row for
 * each entry with its indexes touched seven; what is needed to find an entry is made from the groups, some moments later.
 */
export const decisionGroups: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { key, sequence, withoutRowid } = typesOf(db);
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
    await db.schema
      .createTable('decision_keys')
      .addColumn('key', key, (column) => column.notNull())
      .addColumn('group_seq', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('decision_keys_key', ['key', 'group_seq'])
      .modifyEnd(withoutRowid)
      .execute();
    await db.schema
      .createTable('decision_marks')
      .addColumn('name', key, (column) => column.primaryKey().notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .execute();
    await sql`insert into decision_marks (name, seq) values ('noted', 0)`.execute(db);
    await db.schema
      .alterTable('decision_chains')
      .addColumn('noted_no', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await packRows(db);
    await db.schema.dropTable('decisions').execute();
    // Made again from the groups.
    await sql`delete from decision_counts`.execute(db);
  },
};

interface OldRow extends Omit<DecisionEntry, 'callId' | 'agentId' | 'taskId'> {
  seq: number;
  call_id: string;
  agent_id: string | null;
  task_id: string | null;
  chain: string;
  chain_no: number;
}

interface Packing {
  rows: OldRow[];
  hash: string;
}

/** In the order of writing; the chains get hashes of their groups. */
async function packRows(db: Kysely<unknown>): Promise<void> {
  await sql`update decision_chains set hash_before_first = '', noted_no = first_no - 1`.execute(db);
  const open = new Map<string, Packing>();
  async function flush(chain: string, packing: Packing): Promise<void> {
    const [first] = packing.rows;
    if (!first) return;
    const entries = packing.rows.map((row) => packEntry(toEntry(row))).join('');
    const times = packing.rows.map((row) => row.at);
    const last_no = packing.rows.at(-1)?.chain_no ?? 0;
    packing.hash = chain === '' ? '' : hashOf(packing.hash, chain, first.chain_no, entries);
    await sql`insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
      values (${chain}, ${first.chain_no}, ${packing.rows.length}, ${Math.min(...times)}, ${Math.max(...times)},
        ${packing.hash}, ${entries})`.execute(db);
    await sql`update decision_chains set last_no = ${last_no}, last_hash = ${packing.hash} where chain = ${chain}`.execute(
      db,
    );
    packing.rows = [];
  }
  for (let seq = -1; ; ) {
    const page = sql<OldRow>`select * from decisions where seq > ${seq} order by seq limit ${pageRows}`;
    const { rows } = await page.execute(db);
    for (const row of rows) {
      const packing = open.get(row.chain) ?? { rows: [], hash: '' };
      open.set(row.chain, packing);
      packing.rows.push(row);
      if (packing.rows.length >= groupRows) await flush(row.chain, packing);
    }
    for (const [chain, packing] of open) await flush(chain, packing);
    seq = rows.at(-1)?.seq ?? seq;
    if (rows.length < pageRows) return;
  }
}

function toEntry({ call_id: callId, agent_id: agentId, task_id: taskId, ...row }: OldRow): DecisionEntry {
  return { ...row, callId, agentId, taskId };
}

function typesOf(db: Kysely<unknown>): Record<'key' | 'sequence' | 'withoutRowid', RawBuilder<unknown>> {
  return db.getExecutor().adapter instanceof SqliteAdapter
    ? { key: sql`text`, sequence: sql`integer`, withoutRowid: sql`without rowid` }
    : { key: sql`text collate "C"`, sequence: sql`bigserial`, withoutRowid: sql`` };
}
