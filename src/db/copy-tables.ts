import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

export type Row = Record<string, unknown>;

/** A page of the longest agents takes about 40 MB. */
const pageRows = 100;
/** For tables with millions of short rows. */
const longPageRows = 1000;

interface CopiedTable {
  name: keyof Tables;
  /** Tables are read page by page in the order of the key. */
  key: string[];
  pageRows: number;
  /** Set for what belongs to the installation: a backup does not contain it, and a move takes it along. */
  isMoved?: true;
  /** The column that each database numbers itself. It is not compared. */
  ownNumber?: string;
}

/** Parents before children. */
const tables = [
  { name: 'agents', key: ['id'], pageRows, ownNumber: 'change_number' },
  { name: 'agent_versions', key: ['agent_id', 'revision'], pageRows },
  { name: 'tool_grants', key: ['agent_id', 'tool'], pageRows: longPageRows },
  { name: 'brain_entries', key: ['id'], pageRows },
  { name: 'decision_groups', key: ['seq'], pageRows, ownNumber: 'seq' },
  { name: 'decision_chains', key: ['chain'], pageRows },
  { name: 'decision_cuts', key: ['id'], pageRows: 10 },
  { name: 'knowledge_documents', key: ['id'], pageRows },
  { name: 'knowledge_texts', key: ['doc_no'], pageRows: 10 },
  { name: 'knowledge_chunks', key: ['doc_no', 'ordinal'], pageRows: longPageRows },
  { name: 'knowledge_segments', key: ['id'], pageRows: 10 },
  { name: 'knowledge_postings', key: ['segment', 'term'], pageRows: longPageRows },
  { name: 'knowledge_removed', key: ['doc_no'], pageRows: longPageRows },
  { name: 'knowledge_vectors', key: ['model', 'hash'], pageRows: longPageRows },
  { name: 'knowledge_sources', key: ['source'], pageRows },
  { name: 'knowledge_source_states', key: ['source'], pageRows },
  { name: 'sync_requests', key: ['id'], pageRows },
  { name: 'team_members', key: ['id'], pageRows },
  { name: 'mails', key: ['id'], pageRows },
  { name: 'mail_threads', key: ['id'], pageRows: longPageRows },
  { name: 'escalations', key: ['fault', 'at', 'mail_id'], pageRows: longPageRows },
  { name: 'epics', key: ['id'], pageRows },
  { name: 'tasks', key: ['id'], pageRows },
  { name: 'task_comments', key: ['id'], pageRows },
  { name: 'events', key: ['id'], pageRows },
  { name: 'event_subscribers', key: ['target'], pageRows },
  { name: 'deliveries', key: ['id'], pageRows: longPageRows },
  { name: 'idempotency_keys', key: ['owner', 'key'], pageRows },
  { name: 'hub_presence', key: ['hub', 'started_at'], pageRows: longPageRows },
  { name: 'vault_keys', key: ['id'], pageRows },
  { name: 'vault_secrets', key: ['name'], pageRows },
  { name: 'servers', key: ['name'], pageRows },
  { name: 'server_lists', key: ['server'], pageRows: longPageRows },
  { name: 'server_switches', key: ['server'], pageRows: longPageRows },
  { name: 'tool_pins', key: ['server', 'tool'], pageRows },
  { name: 'held_tools', key: ['server', 'tool'], pageRows },
  { name: 'tool_definitions', key: ['server', 'memory', 'hash', 'tool'], pageRows },
  { name: 'tool_lists', key: ['server', 'memory', 'id'], pageRows: 10 },
  { name: 'tool_settings', key: ['server', 'tool'], pageRows: longPageRows },
  { name: 'settings', key: ['key'], pageRows },
  {
    name: 'model_usage',
    key: ['hour', 'agent_id', 'model', 'client', 'member_id', 'bucket'],
    pageRows: longPageRows,
  },
  { name: 'inbox_dismissals', key: ['item'], pageRows: longPageRows },
  { name: 'mcp_clients', key: ['name'], pageRows, isMoved: true },
  { name: 'runs', key: ['id'], pageRows },
  { name: 'run_prompts', key: ['hash'], pageRows: 10 },
  { name: 'run_steps', key: ['run_id', 'step'], pageRows: longPageRows },
  { name: 'run_calls', key: ['run_id'], pageRows: longPageRows },
  { name: 'run_arguments', key: ['run_id'], pageRows: longPageRows },
  { name: 'messages', key: ['thread_id', 'ordinal'], pageRows: 10 },
  { name: 'chats', key: ['id'], pageRows },
  { name: 'chat_events', key: ['chat_id', 'seq'], pageRows },
  { name: 'chat_approvals', key: ['chat_id', 'seq'], pageRows },
  { name: 'chat_grants', key: ['chat_id', 'tool'], pageRows: longPageRows },
  { name: 'attachments', key: ['hash'], pageRows: 10 },
  { name: 'chat_attachments', key: ['chat_id', 'hash'], pageRows: longPageRows },
  { name: 'chat_words', key: ['chat_id', 'word'], pageRows: longPageRows },
  { name: 'revisions', key: ['key'], pageRows },
  { name: 'access_keys', key: ['id'], pageRows: longPageRows, isMoved: true },
  { name: 'marks', key: ['name'], pageRows: longPageRows, isMoved: true },
  { name: 'workspaces', key: ['folder'], pageRows: longPageRows, isMoved: true },
] satisfies CopiedTable[] as readonly CopiedTable[];

export const copiedTables: readonly (keyof Tables)[] = tables.map(({ name }) => name);

interface CopyOptions {
  except?: keyof Tables;
  /** Also copies what belongs to the installation. */
  isMove?: boolean;
  change?: (table: keyof Tables, row: Row) => Row;
}

/** Copies rows between any two databases of this version. Decision groups get new numbers in the same order. */
export async function copyTables(from: Kysely<Tables>, to: Kysely<Tables>, options: CopyOptions = {}): Promise<void> {
  const { except, isMove = false, change = (_table, row) => row } = options;
  for (const table of tables) {
    if (table.name === except || (table.isMoved && !isMove)) continue;
    for await (const rows of pagesOf(from, table)) {
      const changed = rows.map((row) => change(table.name, row));
      await insertRows(to, table.name, changed);
    }
  }
  await deleteDecisionIndex(to);
}

/** Deletes the index of the decision log, which refers to the old group numbers. It is rebuilt from the groups. */
async function deleteDecisionIndex(db: Kysely<Tables>): Promise<void> {
  await db.deleteFrom('decision_keys').execute();
  await db.deleteFrom('decision_counts').execute();
  await db.deleteFrom('decision_minutes').execute();
  await db.updateTable('decision_marks').set({ seq: 0 }).execute();
}

export async function clearTables(db: Kysely<Tables>, options: { except?: keyof Tables } = {}): Promise<void> {
  for (const { name, isMoved } of tables.toReversed()) {
    if (name !== options.except && !isMoved) await db.deleteFrom(name).execute();
  }
}

/** What a table holds, in a form that is the same in every database. */
export interface TableDigest {
  table: keyof Tables;
  rows: number;
  /** The sum of the SHA-256 of all rows, because databases sort texts differently. */
  hash: string;
}

/** Reads all tables that a move copies. */
export async function digestTables(db: Kysely<Tables>): Promise<TableDigest[]> {
  const digests: TableDigest[] = [];
  for (const table of tables) {
    let count = 0;
    let sum = 0n;
    for await (const rows of pagesOf(db, table)) {
      count += rows.length;
      for (const row of rows)
        sum = (sum + BigInt(`0x${hash('sha256', rowText(row, table.ownNumber), 'hex')}`)) % modulus;
    }
    digests.push({ table: table.name, rows: count, hash: sum.toString(16).padStart(64, '0') });
  }
  return digests;
}

const modulus = 2n ** 256n;

function rowText(row: Row, ownNumber: string | undefined): string {
  const columns = Object.keys(row).filter((column) => column !== ownNumber);
  return JSON.stringify(columns.toSorted().map((column) => [column, plain(row[column])]));
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  return typeof value === 'bigint' ? Number(value) : value;
}

async function* pagesOf(db: Kysely<Tables>, table: CopiedTable): AsyncGenerator<readonly Row[]> {
  const { key } = table;
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: Row | undefined;
  do {
    const page: Row | undefined = last;
    const after = page ? sql`where (${columns}) > (${sql.join(key.map((column) => page[column]))})` : sql``;
    const query = sql<Row>`select * from ${sql.table(table.name)} ${after} order by ${columns} limit ${table.pageRows}`;
    const { rows } = await query.execute(db);
    if (rows.length > 0) yield rows;
    last = rows.length === table.pageRows ? rows.at(-1) : undefined;
  } while (last);
}

async function insertRows(db: Kysely<Tables>, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== 'seq' || table !== 'decision_groups');
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db);
}
