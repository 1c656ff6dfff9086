import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { toIso } from '../base/clock.ts';
import type { Database, Write } from '../db/database.ts';
import { cleanText, slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import {
  hourMs,
  percentile,
  type Spent,
  type UsageEntry,
  type UsageQuery,
  type UsageReport,
  type UsageStore,
  type UsageSums,
} from './usage.ts';

const rowsAtOnce = 50;
const maxGroups = 200;
const maxSeries = 5;
const maxUnpricedModels = 20;
const nothingSpent: Spent = { tokens: 0, cost: 0, unpriced: 0 };
const columns = { agent: 'agent_id', model: 'model', client: 'client', member: 'member_id' } as const;
const counted = [
  'calls',
  'errors',
  'unpriced',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cost',
] as const;

/** Model usage, added up by hour, spender, model and duration, so that reports stay fast and percentiles can be combined. */
export function usageStore(database: Database): UsageStore {
  return {
    async add(entries) {
      // In the same order in every process, so that two of them never wait for each other.
      const rows = entries.map(toRow).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      const write = async ({ db }: Pick<Write, 'db'>) => {
        for (const some of slices(rows, rowsAtOnce)) await addRows(db, some);
      };
      await database.write(write, { isDurable: false });
    },
    announceBudgets: () => database.write(async ({ changed }) => changed('inbox'), { isDurable: false }),
    async prune(before) {
      await database.write(({ db }) =>
        db
          .deleteFrom('model_usage')
          .where('hour', '<', Math.floor(before / hourMs))
          .execute(),
      );
    },
    report: (query) => readReport(database, query),
    async spent(since, { agents = [], members = [] } = {}) {
      const [hub, byAgent, byMember] = await Promise.all([
        readSpent(database, since),
        readSpent(database, since, { column: 'agent_id', ids: agents }),
        readSpent(database, since, { column: 'member_id', ids: members }),
      ]);
      return { hub: hub.get('') ?? nothingSpent, agents: byAgent, members: byMember };
    },
  };
}

/** Reads what was used by everyone, under an empty key, or by each of some agents or members. */
async function readSpent(
  database: Database,
  since: number,
  who?: { column: 'agent_id' | 'member_id'; ids: readonly string[] },
): Promise<Map<string, Spent>> {
  if (who?.ids.length === 0) return new Map();
  const rows = await database.read((db) =>
    db
      .selectFrom('model_usage')
      .select(({ fn }) => [
        (who ? sql.ref<string>(who.column) : sql<string>`''`).as('key'),
        sql<number | string | null>`sum(input_tokens + output_tokens)`.as('tokens'),
        fn.sum<number | null>('cost').as('cost'),
        fn.sum<number | string | null>('unpriced').as('unpriced'),
      ])
      .where('hour', '>=', Math.floor(since / hourMs))
      .$if(who !== undefined, (query) =>
        query.where(who?.column ?? 'agent_id', 'in', who?.ids ?? []).groupBy(who?.column ?? 'agent_id'),
      )
      .execute(),
  );
  const toSpent = (row: (typeof rows)[number]): Spent => ({
    tokens: Number(row.tokens ?? 0),
    cost: Number(row.cost ?? 0),
    unpriced: Number(row.unpriced ?? 0),
  });
  return new Map(rows.map((row) => [row.key, toSpent(row)]));
}

async function addRows(db: Kysely<Tables>, rows: readonly ModelUsageRow[]): Promise<void> {
  await db
    .insertInto('model_usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['hour', 'agent_id', 'model', 'client', 'member_id', 'bucket'])
        .doUpdateSet((each) =>
          Object.fromEntries(
            counted.map((name) => [
              name,
              sql<number>`${each.ref(`model_usage.${name}`)} + ${each.ref(`excluded.${name}`)}`,
            ]),
          ),
        ),
    )
    .execute();
}

function keyOf({ hour, agent_id, model, client, member_id, bucket }: ModelUsageRow): string {
  return JSON.stringify([hour, agent_id, model, client, member_id, bucket]);
}

function toRow(entry: UsageEntry): ModelUsageRow {
  return {
    hour: entry.hour,
    agent_id: cleanText(entry.agentId),
    model: cleanText(entry.model),
    client: cleanText(entry.client),
    member_id: cleanText(entry.memberId),
    bucket: entry.bucket,
    calls: entry.calls,
    errors: entry.errors,
    unpriced: entry.unpriced,
    input_tokens: entry.inputTokens,
    output_tokens: entry.outputTokens,
    cached_tokens: entry.cachedTokens,
    reasoning_tokens: entry.reasoningTokens,
    cost: entry.cost,
  };
}

async function readReport(database: Database, query: UsageQuery): Promise<UsageReport> {
  const column = sql.ref<string>(columns[query.by]);
  const first = Math.floor(query.since / hourMs);
  const slot = sql<number>`(hour - ${sql.lit(first)}) / ${sql.lit(query.stepHours)}`;
  const [largest, slots, unpricedModels] = await Promise.all([
    readLargest(database, query),
    readBy(database, query, slot),
    readUnpricedModels(database, query),
  ]);
  const { keys, all } = largest;
  // One statement for everything, so that the groups and the rest add up to the total.
  const key = all <= keys.length ? column : sql<string | null>`case when ${isAmong(column, keys)} then ${column} end`;
  const byGroup = collect(await readBy(database, query, key));
  const rest = byGroup.get(null);
  const groups = [...byGroup]
    .flatMap(([name, sums]) => (name === null ? [] : [{ key: String(name), ...toSums(sums) }]))
    .sort((one, other) => other.cost - one.cost || tokensOf(other) - tokensOf(one) || other.calls - one.calls);
  const intervals = [...collect(slots)]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([index, sums]) => toInterval(query, { first, index: Number(index), sums }));
  return {
    by: query.by,
    stepHours: query.stepHours,
    total: toSums(together([...byGroup.values()])),
    groups,
    rest: rest ? { groups: Math.max(1, all - groups.length), ...toSums(rest) } : null,
    intervals,
    series: all > 1 ? await readSeries(database, query, { keys: keys.slice(0, maxSeries), slot, first }) : [],
    unpricedModels,
  };
}

/** Returns the intervals of some groups, and of all others together. */
async function readSeries(
  database: Database,
  query: UsageQuery,
  { keys, slot, first }: { keys: readonly string[]; slot: RawBuilder<number>; first: number },
): Promise<UsageReport['series']> {
  const column = sql.ref<string>(columns[query.by]);
  const group = sql<string>`case when ${isAmong(column, keys)} then 'of ' || ${column} else '' end`;
  const rows = await readBy(database, query, sql<string>`cast(${slot} as text) || ' ' || ${group}`);
  const byGroup = Map.groupBy(collect(rows), ([key]) => String(key).slice(String(key).indexOf(' ') + 1));
  const toSeries = (name: string, key: string | null) => {
    const found = byGroup.get(name) ?? [];
    const bySlot = found.map(([slotAndName, sums]) => ({ index: Number.parseInt(String(slotAndName), 10), sums }));
    const sorted = bySlot.sort((one, other) => one.index - other.index);
    return { key, intervals: sorted.map(({ index, sums }) => toInterval(query, { first, index, sums })) };
  };
  const named = keys.map((key) => toSeries(`of ${key}`, key));
  return byGroup.has('') ? [...named, toSeries('', null)] : named;
}

function toInterval(
  { stepHours }: UsageQuery,
  { first, index, sums }: { first: number; index: number; sums: Collected },
): UsageReport['intervals'][number] {
  return { at: toIso((first + index * stepHours) * hourMs), ...toSums(sums) };
}

async function readUnpricedModels(database: Database, query: UsageQuery): Promise<string[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom('model_usage')
      .select('model')
      .$call((found) => whereUsage(found, query))
      .where('unpriced', '>', 0)
      .groupBy('model')
      .orderBy(sql`sum(input_tokens + output_tokens) desc`)
      .orderBy('model')
      .limit(maxUnpricedModels)
      .execute(),
  );
  return rows.map(({ model }) => model);
}

function isAmong(column: RawBuilder<string>, keys: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`${column} in (${sql.join(keys)})`;
}

/** Returns the groups that a report names, most expensive first, and how many there are. */
async function readLargest(database: Database, query: UsageQuery): Promise<{ keys: string[]; all: number }> {
  const column = columns[query.by];
  const [rows, counted] = await database.read(async (db) => [
    await db
      .selectFrom('model_usage')
      .select(column)
      .$call((found) => whereUsage(found, query))
      .groupBy(column)
      .orderBy(sql`sum(cost) desc, sum(input_tokens + output_tokens) desc, sum(calls) desc`)
      .orderBy(column)
      .limit(maxGroups)
      .execute(),
    await db
      .selectFrom('model_usage')
      .select(({ fn }) => fn.count<number | string>(column).distinct().as('all'))
      .$call((found) => whereUsage(found, query))
      .executeTakeFirst(),
  ]);
  return { keys: rows.map((row) => String(row[column])), all: Number(counted?.all ?? 0) };
}

function whereUsage<O>(
  query: SelectQueryBuilder<Tables, 'model_usage', O>,
  { since, until, agent, model, client, member }: UsageQuery,
): SelectQueryBuilder<Tables, 'model_usage', O> {
  return query
    .where('hour', '>=', Math.floor(since / hourMs))
    .where('hour', '<=', Math.floor(until / hourMs))
    .$if(agent !== undefined, (found) => found.where('agent_id', '=', agent ?? ''))
    .$if(model !== undefined, (found) => found.where('model', '=', model ?? ''))
    .$if(client !== undefined, (found) => found.where('client', '=', client ?? ''))
    .$if(member !== undefined, (found) => found.where('member_id', '=', member ?? ''));
}

interface SummedRow {
  key: string | number | null;
  bucket: number;
  calls: number | string;
  errors: number | string;
  unpriced: number | string;
  input: number | string;
  output: number | string;
  cost: number;
}

function readBy(database: Database, query: UsageQuery, key: RawBuilder<string | number | null>): Promise<SummedRow[]> {
  return database.read((db) =>
    db
      .selectFrom('model_usage')
      .select(({ fn }) => [
        key.as('key'),
        'bucket',
        fn.sum<number | string>('calls').as('calls'),
        fn.sum<number | string>('errors').as('errors'),
        fn.sum<number | string>('unpriced').as('unpriced'),
        fn.sum<number | string>('input_tokens').as('input'),
        fn.sum<number | string>('output_tokens').as('output'),
        fn.sum<number>('cost').as('cost'),
      ])
      .$call((found) => whereUsage(found, query))
      // By position: PostgreSQL treats a key with parameters as a different expression.
      .groupBy([sql`1`, 'bucket'])
      .execute(),
  );
}

interface Collected {
  calls: number;
  errors: number;
  unpriced: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  buckets: Map<number, number>;
}

function collect(rows: readonly SummedRow[]): Map<string | number | null, Collected> {
  const byKey = Map.groupBy(rows, ({ key }) => key);
  return new Map(
    [...byKey].map(([key, list]) => [
      key,
      together(
        list.map((row) => ({
          calls: Number(row.calls),
          errors: Number(row.errors),
          unpriced: Number(row.unpriced),
          inputTokens: Number(row.input),
          outputTokens: Number(row.output),
          cost: Number(row.cost),
          buckets: new Map([[row.bucket, Number(row.calls)]]),
        })),
      ),
    ]),
  );
}

function together(all: readonly Collected[]): Collected {
  const sum: Collected = {
    calls: 0,
    errors: 0,
    unpriced: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
    buckets: new Map(),
  };
  for (const { buckets, ...each } of all) {
    sum.calls += each.calls;
    sum.errors += each.errors;
    sum.unpriced += each.unpriced;
    sum.inputTokens += each.inputTokens;
    sum.outputTokens += each.outputTokens;
    sum.cost += each.cost;
    for (const [bucket, calls] of buckets) sum.buckets.set(bucket, (sum.buckets.get(bucket) ?? 0) + calls);
  }
  return sum;
}

function toSums({ buckets, ...sums }: Collected): UsageSums {
  return { ...sums, p50Ms: percentile(buckets, 0.5), p95Ms: percentile(buckets, 0.95) };
}

function tokensOf({ inputTokens, outputTokens }: Pick<UsageSums, 'inputTokens' | 'outputTokens'>): number {
  return inputTokens + outputTokens;
}

declare module '../db/tables.ts' {
  interface Tables {
    model_usage: ModelUsageRow;
  }
}

interface ModelUsageRow {
  /** Hours since the epoch. */
  hour: number;
  agent_id: string;
  model: string;
  client: string;
  member_id: string;
  /** The duration of the calls: see `bucketOf`. */
  bucket: number;
  calls: number;
  errors: number;
  unpriced: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: number;
}
