import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { automaticDecision, automaticWords, type DecisionEntry, decisionKinds } from '../../tools/decision-log.ts';
import { insertRows, type StoredRow, wordsOf } from '../decisions-rows.ts';

/**
 * Entries of the log, which were packed into groups, become rows. A group's hash goes to the last of its rows and covers the same text
 * as before, so what was written then is still proven by the hashes of then. Keys and counters are made anew.
 */
export const decisionRows: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { key, sequence, withoutRowid } = typesOf(db);
    await db.schema
      .createTable('decisions')
      .addColumn('seq', sequence, (column) => column.primaryKey())
      .addColumn('chain', key, (column) => column.notNull())
      .addColumn('no', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text')
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('kind', key, (column) => column.notNull())
      .addColumn('call_id', key, (column) => column.notNull())
      .addColumn('surface', key, (column) => column.notNull())
      .addColumn('agent_id', key)
      .addColumn('persona', key)
      .addColumn('task_id', key)
      .addColumn('tool', key, (column) => column.notNull())
      .addColumn('decision', 'text')
      .addColumn('reasoning', 'text')
      .addColumn('context', 'text', (column) => column.notNull())
      .execute();
    await convertGroups(db);
    for (const table of ['decision_groups', 'decision_keys', 'decision_minutes', 'decision_counts'])
      await db.schema.dropTable(table).execute();
    await db.schema.alterTable('decision_chains').dropColumn('noted_no').execute();
    await db.schema
      .createTable('decision_keys')
      .addColumn('key', key, (column) => column.notNull())
      .addColumn('block', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('decision_keys_key', ['key', 'block'])
      .modifyEnd(withoutRowid)
      .execute();
    await db.schema
      .createTable('decision_minutes')
      .addColumn('minute', 'bigint', (column) => column.notNull())
      .addColumn('block', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('decision_minutes_key', ['minute', 'block'])
      .modifyEnd(withoutRowid)
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

interface Group {
  seq: number;
  chain: string;
  first_no: number;
  row_count: number;
  first_at: number;
  last_at: number;
  hash: string;
  entries: string;
}

const groupsAtOnce = 200;

async function convertGroups(db: Kysely<unknown>): Promise<void> {
  for (let after = -1; ; ) {
    const page = sql<Group>`select * from decision_groups where seq > ${after} order by seq limit ${groupsAtOnce}`;
    const { rows: groups } = await page.execute(db);
    const rows = groups.flatMap(toRows);
    if (rows.length > 0) await insertRows(db, rows);
    after = groups.at(-1)?.seq ?? after;
    if (groups.length < groupsAtOnce) return;
  }
}

/** What did not fit its hash before does not fit it afterwards. */
export function toRows(group: Group): Omit<StoredRow, 'seq'>[] {
  const { chain, first_no, hash } = group;
  const entries = unpackEntries(group.entries);
  if (!entries) return [unreadable(group)];
  const times = entries.map(({ at }) => at);
  const isTrue =
    entries.length === group.row_count && Math.min(...times) === group.first_at && Math.max(...times) === group.last_at;
  return entries.map((entry, index) => {
    const [decision, reasoning] = wordsOf(entry);
    const isHashed = chain !== '' && index === entries.length - 1;
    return {
      chain,
      no: chain === '' ? 0 : first_no + index,
      hash: !isHashed ? null : isTrue ? hash : `was changed ${hash}`,
      at: entry.at,
      kind: entry.kind,
      call_id: entry.callId,
      surface: entry.surface,
      agent_id: entry.agentId,
      persona: entry.persona,
      task_id: entry.taskId,
      tool: entry.tool,
      decision,
      reasoning,
      context: entry.context,
    };
  });
}

/** Somebody changed the text so that nobody can read it. It is kept whole, in the place of the last of its entries. */
function unreadable({ chain, first_no, row_count, last_at, hash, entries }: Group): Omit<StoredRow, 'seq'> {
  return {
    chain,
    no: chain === '' ? 0 : first_no + Math.max(row_count, 1) - 1,
    hash: chain === '' ? null : `was changed ${hash}`,
    at: last_at,
    kind: 'manual',
    call_id: '',
    surface: '',
    agent_id: null,
    persona: null,
    task_id: null,
    tool: '',
    decision: 'Unreadable entries',
    reasoning: 'This part of the log was changed before it was converted.',
    context: JSON.stringify(entries),
  };
}

type Head = [
  callId: string,
  /** Place among the kinds; so much more when the context is written as a JSON string. */
  kind: number,
  at: number,
  surface: string,
  agentId: string | null,
  persona: string | null,
  taskId: string | null,
  tool: string,
  decision?: string,
  reasoning?: string,
];

/** The form of `packEntry`; undefined where the text has another one. */
function unpackEntries(text: string): DecisionEntry[] | undefined {
  const entries: DecisionEntry[] = [];
  try {
    for (let start = 0; start < text.length; ) {
      const middle = text.indexOf('\n', start);
      const end = text.indexOf('\n', middle + 1);
      if (middle === -1 || end === -1) return undefined;
      const head: unknown = JSON.parse(text.slice(start, middle));
      if (!isHead(head)) return undefined;
      entries.push(unpackEntry(head, text.slice(middle + 1, end)));
      start = end + 1;
    }
  } catch {
    return undefined;
  }
  return entries;
}

/** What the table would refuse must not stop the whole conversion. */
function isHead(value: unknown): value is Head {
  if (!Array.isArray(value)) return false;
  const [callId, code, at, surface, agentId, persona, taskId, tool] = value;
  return (
    [callId, surface, tool].every((each) => typeof each === 'string') &&
    [agentId, persona, taskId].every((each) => each === null || typeof each === 'string') &&
    [code, at].every((each) => Number.isSafeInteger(each))
  );
}

function unpackEntry(head: Head, context: string): DecisionEntry {
  const [callId, code, at, surface, agentId, persona, taskId, tool, decision, reasoning] = head;
  const kind = decisionKinds[code % decisionKinds.length] ?? 'manual';
  const known = kind === 'manual' ? 'invocation' : kind;
  return {
    callId,
    kind,
    at,
    surface,
    agentId,
    persona,
    taskId,
    tool,
    decision: decision ?? automaticDecision(known, tool),
    reasoning: reasoning ?? automaticWords[known].reasoning,
    context: code >= decisionKinds.length ? JSON.parse(context) : context,
  };
}

function typesOf(db: Kysely<unknown>): Record<'key' | 'sequence' | 'withoutRowid', RawBuilder<unknown>> {
  return db.getExecutor().adapter instanceof SqliteAdapter
    ? { key: sql`text`, sequence: sql`integer`, withoutRowid: sql`without rowid` }
    : { key: sql`text collate "C"`, sequence: sql`bigserial`, withoutRowid: sql`` };
}
