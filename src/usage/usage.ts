import { z } from 'zod';

/** Whom a model call is counted for. Empty texts stand for none: no agent of the hub, no client key, no member. */
export interface Spender {
  agentId: string;
  client: string;
  memberId: string;
}

export const usageDimensions = ['agent', 'model', 'client', 'member'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

const sums = {
  calls: z.int().describe('Model calls that ended.'),
  errors: z.int().describe('The failed ones among them.'),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cost: z.number().describe('US dollars, of the calls whose price is known.'),
  unpriced: z.int().describe('Calls that used tokens at an unknown price.'),
};
const latency = {
  p50Ms: z.int().nullable().describe('Half of the calls took at most this long, to within 5 %.'),
  p95Ms: z.int().nullable(),
};

export const UsageSums = z.object({ ...sums, ...latency });
export type UsageSums = z.infer<typeof UsageSums>;

/** Model usage in a time range: by group, over time, and in total. */
export const UsageReport = z.object({
  by: z.enum(usageDimensions),
  stepHours: z.int(),
  total: UsageSums,
  groups: z
    .array(UsageSums.extend({ key: z.string().describe('Empty for calls without an agent, client or member.') }))
    .describe('Most expensive first, at most 200.'),
  rest: UsageSums.extend({ groups: z.int() })
    .nullable()
    .describe('All further groups together. With `groups`, they add up to `total`. Null if there are none.'),
  intervals: z.array(UsageSums.extend({ at: z.iso.datetime() })).describe('Intervals without calls are left out.'),
  series: z
    .array(
      z.object({
        key: z.string().nullable().describe('Null for all further groups together.'),
        intervals: z.array(UsageSums.extend({ at: z.iso.datetime() })),
      }),
    )
    .describe('The 5 most expensive groups over time, and the others together. Empty if there is only one group.'),
  unpricedModels: z
    .array(z.string())
    .describe('`provider/model` of calls at an unknown price, those with the most tokens first, at most 20.'),
});
export type UsageReport = z.infer<typeof UsageReport>;

export interface UsageQuery {
  since: number;
  until: number;
  by: UsageDimension;
  stepHours: number;
  agent?: string | undefined;
  model?: string | undefined;
  client?: string | undefined;
  member?: string | undefined;
}

/** Calls of one spender and model that took about as long, in one hour. */
export interface UsageEntry extends Spender {
  hour: number;
  model: string;
  bucket: number;
  calls: number;
  errors: number;
  unpriced: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  cost: number;
}

export interface UsageStore {
  /** Adds to what is stored. */
  add(entries: readonly UsageEntry[]): Promise<void>;
  /** Announces that how close a budget is has changed. */
  announceBudgets(): Promise<void>;
  /** Deletes what is older. */
  prune(before: number): Promise<void>;
  report(query: UsageQuery): Promise<UsageReport>;
  /** Returns what was used since an hour, by everyone, and by each of these agents and members that used anything. */
  spent(since: number, who?: { agents?: readonly string[]; members?: readonly string[] }): Promise<SpentBy>;
}

/** How long usage is kept. */
export const keptDays = 750;

export interface SpentBy {
  hub: Spent;
  agents: ReadonlyMap<string, Spent>;
  members: ReadonlyMap<string, Spent>;
}

export interface Spent {
  tokens: number;
  cost: number;
  unpriced: number;
}

export const hourMs = 3_600_000;
/** Each bucket is 10 % longer than the one before. */
const growth = Math.log(1.1);

export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.round(Math.log(ms) / growth);
}

/** Returns the duration that at least this share of the calls did not exceed; null without calls. */
export function percentile(buckets: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...buckets.values()].reduce((sum, calls) => sum + calls, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [bucket, calls] of [...buckets].sort(([one], [other]) => one - other)) {
    seen += calls;
    if (seen >= share * total) return Math.round(Math.exp(bucket * growth));
  }
  return null;
}
