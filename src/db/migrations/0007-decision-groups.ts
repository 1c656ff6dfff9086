import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { hashOf } from '../../decisions/decision-chain.store.ts';
import { packEntry } from '../../decisions/decision-group.ts';
import type { DecisionEntry } from '../../tools/decision-log.ts';

const pageRows = 1_000;
const groupRows = 100;

/**
 * Stores entries of the log that are written together as one row. A call pays for each page that its commit touches, and one row
 * per entry with its indexes touched seven. The keys for finding entries are derived from the groups shortly afterwards.
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
    // Derived again from the groups.
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
  hash: string;
}

interface Packing {
  rows: OldRow[];
  hash: string;
  /** The stored hash of the previous row. */
  oldHash: string;
  /** Whether a row does not match its hash: the group must not match either. */
  isChanged: boolean;
}

/** Groups the rows in the order of writing and hashes the groups. Rows that failed verification before still fail afterwards. */
async function packRows(db: Kysely<unknown>): Promise<void> {
  const starts = await sql<{
    chain: string;
    hash: string;
  }>`select chain, hash_before_first as hash from decision_chains`.execute(db);
  const oldStarts = new Map(starts.rows.map(({ chain, hash }) => [chain, hash]));
  await sql`update decision_chains set hash_before_first = '', noted_no = first_no - 1`.execute(db);
  const open = new Map<string, Packing>();
  async function flush(chain: string, packing: Packing): Promise<void> {
    const [first] = packing.rows;
    if (!first) return;
    const entries = packing.rows.map((row) => packEntry(toEntry(row))).join('');
    const times = packing.rows.map((row) => row.at);
    const last_no = packing.rows.at(-1)?.chain_no ?? 0;
    const hash = chain === '' ? '' : hashOf({ before: packing.hash, chain, firstNo: first.chain_no, entries });
    packing.hash = packing.isChanged ? `was changed ${hash}` : hash;
    packing.isChanged = false;
    await sql`insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
      values (${chain}, ${first.chain_no}, ${packing.rows.length}, ${Math.min(...times)}, ${Math.max(...times)},
        ${packing.hash}, ${entries})`.execute(db);
    // If the chain's end shows that more rows existed, it stays as it is.
    await sql`update decision_chains set last_hash = ${packing.hash} where chain = ${chain} and last_no = ${last_no}`.execute(
      db,
    );
    packing.rows = [];
  }
  for (let seq = -1; ; ) {
    const page = sql<OldRow>`select * from decisions where seq > ${seq} order by seq limit ${pageRows}`;
    const { rows } = await page.execute(db);
    for (const row of rows) {
      const oldHash = oldStarts.get(row.chain) ?? '';
      const packing = open.get(row.chain) ?? { rows: [], hash: '', oldHash, isChanged: false };
      open.set(row.chain, packing);
      const last = packing.rows.at(-1);
      // A gap between rows must stay visible.
      if (last && row.chain !== '' && row.chain_no !== last.chain_no + 1) await flush(row.chain, packing);
      packing.isChanged ||= row.chain !== '' && row.hash !== oldHashOf(packing.oldHash, row);
      packing.oldHash = row.hash;
      packing.rows.push(row);
      if (packing.rows.length >= groupRows) await flush(row.chain, packing);
    }
    for (const [chain, packing] of open) await flush(chain, packing);
    seq = rows.at(-1)?.seq ?? seq;
    if (rows.length < pageRows) return;
  }
}

/** The earlier rule: each row had its own hash. */
function oldHashOf(before: string, row: OldRow): string {
  const fields = [before, row.chain, row.chain_no, row.call_id, row.kind, row.at, row.surface, row.agent_id];
  fields.push(row.persona, row.task_id, row.tool, row.decision, row.reasoning, row.context);
  return process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(fields), 'base64url');
}

function toEntry({ call_id: callId, agent_id: agentId, task_id: taskId, ...row }: OldRow): DecisionEntry {
  return { ...row, callId, agentId, taskId };
}

function typesOf(db: Kysely<unknown>): Record<'key' | 'sequence' | 'withoutRowid', RawBuilder<unknown>> {
  return db.getExecutor().adapter instanceof SqliteAdapter
    ? { key: sql`text`, sequence: sql`integer`, withoutRowid: sql`without rowid` }
    : { key: sql`text collate "C"`, sequence: sql`bigserial`, withoutRowid: sql`` };
}
