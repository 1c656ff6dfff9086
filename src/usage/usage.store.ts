import { type Kysely, type RawBuilder, sql } from 'kysely';
import { toIso } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { cleanText, slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import {
  hourMs,
  percentile,
  type UsageEntry,
  type UsageQuery,
  type UsageReport,
  type UsageStore,
  type UsageSums,
} from './usage.ts';

const rowsAtOnce = 50;
const maxGroups = 200;
/** Bounds what one report reads. A year of days with 140 durations each is about 50,000 rows. */
const maxRows = 60_000;
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
      for (const some of slices(entries.map(toRow), rowsAtOnce))
        await database.write(({ db }) => addRows(db, some), { isDurable: false });
    },
    async prune(before) {
      await database.write(({ db }) =>
        db
          .deleteFrom('model_usage')
          .where('hour', '<', Math.floor(before / hourMs))
          .execute(),
      );
    },
    report: (query) => readReport(database, query),
    async spent(since, { agentId, memberId } = {}) {
      const row = await database.read((db) =>
        db
          .selectFrom('model_usage')
          .select(({ fn }) => [
            sql<number | string | null>`sum(input_tokens + output_tokens)`.as('tokens'),
            fn.sum<number | null>('cost').as('cost'),
            fn.sum<number | string | null>('unpriced').as('unpriced'),
          ])
          .where('hour', '>=', Math.floor(since / hourMs))
          .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
          .$if(memberId !== undefined, (query) => query.where('member_id', '=', memberId ?? ''))
          .executeTakeFirstOrThrow(),
      );
      return { tokens: Number(row.tokens ?? 0), cost: Number(row.cost ?? 0), unpriced: Number(row.unpriced ?? 0) };
    },
  };
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
  const first = Math.floor(query.since / hourMs);
  const slot = sql<number>`(hour - ${sql.lit(first)}) / ${sql.lit(query.stepHours)}`;
  const [groups, slots] = await Promise.all([
    readBy(database, query, sql<string>`${sql.ref(columns[query.by])}`),
    readBy(database, query, slot),
  ]);
  const byGroup = collect(groups);
  const bySlot = collect(slots);
  const sorted = [...byGroup]
    .map(([key, sums]) => ({ key: String(key), ...toSums(sums) }))
    .sort((one, other) => other.cost - one.cost || tokensOf(other) - tokensOf(one) || other.calls - one.calls);
  const intervals = [...bySlot]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([index, sums]) => ({ at: toIso((first + Number(index) * query.stepHours) * hourMs), ...toSums(sums) }));
  const total = toSums(together([...bySlot.values()]));
  return { stepHours: query.stepHours, total, groups: sorted.slice(0, maxGroups), intervals };
}

interface SummedRow {
  key: string | number;
  bucket: number;
  calls: number | string;
  errors: number | string;
  unpriced: number | string;
  input: number | string;
  output: number | string;
  cost: number;
}

function readBy(
  database: Database,
  { since, until, agent, model, client, member }: UsageQuery,
  key: RawBuilder<string | number>,
): Promise<SummedRow[]> {
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
      .where('hour', '>=', Math.floor(since / hourMs))
      .where('hour', '<=', Math.floor(until / hourMs))
      .$if(agent !== undefined, (found) => found.where('agent_id', '=', agent ?? ''))
      .$if(model !== undefined, (found) => found.where('model', '=', model ?? ''))
      .$if(client !== undefined, (found) => found.where('client', '=', client ?? ''))
      .$if(member !== undefined, (found) => found.where('member_id', '=', member ?? ''))
      .groupBy([key, 'bucket'])
      .limit(maxRows)
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

function collect(rows: readonly SummedRow[]): Map<string | number, Collected> {
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
