import { CompiledQuery, type Kysely, type Selectable, SqliteAdapter, sql } from 'kysely';
import { automaticDecision, automaticWords, type DecisionEntry, type StoredDecision } from '../tools/decision-log.ts';
import { isAutomatic } from './decisions-chain.ts';
import type { DecisionRow } from './tables.ts';

export type StoredRow = Selectable<DecisionRow>;

/** In the order of the table, without its number. Those by which entries are found come before the long ones. */
export const decisionColumns = [
  'chain',
  'no',
  'hash',
  'at',
  'kind',
  'call_id',
  'surface',
  'agent_id',
  'persona',
  'task_id',
  'tool',
  'decision',
  'reasoning',
  'context',
] as const satisfies (keyof StoredRow)[];

/** PostgreSQL refuses a NUL. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

/** Words that follow from kind and tool are not kept. */
export function wordsOf(entry: DecisionEntry): [decision: string | null, reasoning: string | null] {
  return isAutomatic(entry) ? [null, null] : [entry.decision, entry.reasoning];
}

export function toEntry(row: StoredRow): DecisionEntry {
  const { kind, tool } = row;
  // Only those of the pipeline are left out, and `manual` is none of them.
  const known = kind === 'manual' ? 'invocation' : kind;
  return {
    callId: row.call_id,
    kind,
    at: row.at,
    surface: row.surface,
    agentId: row.agent_id,
    persona: row.persona,
    taskId: row.task_id,
    tool,
    decision: row.decision ?? automaticDecision(known, tool),
    reasoning: row.reasoning ?? automaticWords[known].reasoning,
    context: row.context,
  };
}

export function toStored(row: StoredRow): StoredDecision {
  return { seq: row.seq, ...toEntry(row), chain: row.chain, chainNo: row.no, hash: row.hash ?? '' };
}

/** For PostgreSQL's `json_to_recordset`. */
export const recordColumns = decisionColumns
  .map((column) => `${column} ${column === 'no' || column === 'at' ? 'bigint' : 'text'}`)
  .join(', ');

/** As many as one statement of SQLite takes that is still prepared once. */
const rowsAtOnce = 80;
const names = decisionColumns.join(', ');

/** For many rows. Their numbers are given by the database, in their order. */
export async function insertRows<Any>(db: Kysely<Any>, rows: readonly Omit<StoredRow, 'seq'>[]): Promise<void> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) {
    await sql`insert into decisions (${sql.raw(names)}) select ${sql.raw(names)}
      from rows from (json_to_recordset(${JSON.stringify(rows)}::json) as (${sql.raw(recordColumns)}))
        with ordinality as added (${sql.raw(names)}, place) order by place`.execute(db);
    return;
  }
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce);
    const values = some.map(() => `(${decisionColumns.map(() => '?').join(', ')})`).join(', ');
    const parameters = some.flatMap((row) => decisionColumns.map((column) => row[column]));
    await db.executeQuery(CompiledQuery.raw(`insert into decisions (${names}) values ${values}`, parameters));
  }
}
