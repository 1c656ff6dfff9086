import { type RawBuilder, sql } from 'kysely';
import { HubError } from '../base/hub-error.ts';
import { type DecisionQuery, decisionKinds } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { type StoredDecisionRow, withoutNul } from './decisions-rows.ts';

const mostTextCharacters = 1_000;

interface Conditions {
  /** One filter that an index serves, and the time. */
  drive: RawBuilder<unknown>[];
  /** The other ones. */
  rest: RawBuilder<unknown>[];
  /** What the database cannot tell. */
  matches?: (row: StoredDecisionRow) => boolean;
}

interface Filter {
  condition: RawBuilder<unknown>;
  isIndexed: boolean;
}

/** Throws INVALID_ARGUMENTS for a kind that is none, and for a text that is too long. */
export function conditionsOf(kind: Database['kind'], query: DecisionQuery): Conditions {
  const filters = filtersOf(query);
  const [first, ...others] = filters.map(({ condition }) => condition);
  const isIndexed = filters[0]?.isIndexed ?? false;
  const drive = [...(first && isIndexed ? [first] : []), ...timesOf(query)];
  const rest = first && !isIndexed ? [first, ...others] : others;
  if (query.text === undefined || query.text === '') return { drive, rest };
  if (query.text.length > mostTextCharacters)
    throw new HubError('INVALID_ARGUMENTS', `The text to search for has more than ${mostTextCharacters} characters.`);
  const text = withoutNul(query.text);
  // SQLite folds only these.
  if (/^[\x20-\x7e]*$/.test(text)) return { drive, rest: [...rest, contains(kind, text)] };
  const wanted = text.toLowerCase();
  const matches = (row: StoredDecisionRow) =>
    [row.decision, row.reasoning, row.context].some((each) => each.toLowerCase().includes(wanted));
  return { drive, rest, matches };
}

/** Those that leave the fewest rows first. */
function filtersOf(query: DecisionQuery): Filter[] {
  const { kind } = query;
  if (kind !== undefined && !decisionKinds.includes(kind))
    throw new HubError('INVALID_ARGUMENTS', `There is no kind "${kind}". Kinds: ${decisionKinds.join(', ')}.`);
  const equals = (column: string, value: string | undefined) =>
    value === undefined ? [] : [{ condition: sql`${sql.ref(column)} = ${withoutNul(value)}`, isIndexed: true }];
  // In the index's own words, because a partial one is used only where the database can see that it holds all.
  const rare = isRare(kind) ? sql`kind in ('error', 'manual') and ` : sql``;
  const ofKind =
    kind === undefined ? [] : [{ condition: sql`${rare}kind = ${sql.lit(kind)}`, isIndexed: isRare(kind) }];
  const ofMember = equals('agent_id', query.agentId);
  const ofTool = equals('tool', query.tool);
  return [
    ...equals('task_id', query.taskId),
    ...(isRare(kind) ? together(ofKind, ofMember.length > 0 ? ofMember : ofTool) : []),
    ...(isRare(kind) && ofMember.length > 0 ? [] : ofMember),
    ...(isRare(kind) && ofMember.length === 0 ? [] : ofTool),
    ...(isRare(kind) ? [] : ofKind),
    ...equals('call_id', query.callId).map(({ condition }) => ({ condition, isIndexed: false })),
  ];
}

/** Rare kinds have an index with members and one with tools. */
function together(...filters: Filter[][]): Filter[] {
  const conditions = filters.flat().map(({ condition }) => condition);
  return conditions.length === 0 ? [] : [{ condition: sql.join(conditions, sql` and `), isIndexed: true }];
}

function isRare(kind: DecisionQuery['kind']): boolean {
  return kind === 'error' || kind === 'manual';
}

function timesOf({ since, until }: DecisionQuery): RawBuilder<unknown>[] {
  return [...(since === undefined ? [] : [sql`at >= ${since}`]), ...(until === undefined ? [] : [sql`at <= ${until}`])];
}

function contains(kind: Database['kind'], text: string): RawBuilder<unknown> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const like = sql.raw(kind === 'postgres' ? 'ilike' : 'like');
  const columns = ['decision', 'reasoning', 'context'];
  const each = columns.map((column) => sql`${sql.ref(column)} ${like} ${pattern} escape '\\'`);
  return sql`(${sql.join(each, sql` or `)})`;
}
