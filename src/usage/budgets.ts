import { z } from 'zod';
import { hourMs, type Spender, type Spent, type SpentBy, type UsageStore } from './usage.ts';

/** A limit for the model calls of a day or a month, in UTC. */
export const Budget = z.strictObject({
  scope: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('hub') }),
    z.strictObject({ kind: z.literal('agent'), id: z.string().min(1).max(200) }),
    z.strictObject({ kind: z.literal('member'), id: z.string().min(1).max(200) }),
  ]),
  period: z.enum(['day', 'month']),
  unit: z.enum(['cost', 'tokens']).describe('US dollars, or input and output tokens together.'),
  limit: z.number().positive().max(1e15),
  action: z.enum(['warn', 'stop']).describe('`stop` refuses further model calls once the limit is reached.'),
});
export type Budget = z.infer<typeof Budget>;

export const BudgetState = Budget.extend({
  id: z.string(),
  version: z.int(),
  used: z.number().describe('In the unit of the budget, since the period began.'),
  unpriced: z.int().describe('Calls that are not part of a cost, because their price is unknown.'),
  since: z.iso.datetime().describe('When the current period began.'),
  resetsAt: z.iso.datetime(),
});
export type BudgetState = z.infer<typeof BudgetState>;

/** Settings whose keys begin with this are budgets. */
export const budgetPrefix = 'budgets.';

/** Returns how close a budget is. From 80 % on, people are warned. */
export function budgetLevel({ used, limit }: Pick<BudgetState, 'used' | 'limit'>): 'fine' | 'near' | 'over' {
  if (used >= limit) return 'over';
  return used >= 0.8 * limit ? 'near' : 'fine';
}

export function appliesTo({ scope }: Budget, { agentId, memberId }: Pick<Spender, 'agentId' | 'memberId'>): boolean {
  if (scope.kind === 'hub') return true;
  return scope.id === (scope.kind === 'agent' ? agentId : memberId);
}

/** Returns when the current period began, and when the next one begins. */
function periodOf({ period }: Pick<Budget, 'period'>, now: number): { since: number; until: number } {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (period === 'month') return { since: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) };
  const since = Date.UTC(year, month, day);
  return { since, until: since + 24 * hourMs };
}

/** Returns what has been used of each budget since its period began. The sums of all budgets with the same period are read together. */
export async function spentOf<B extends Budget>(
  budgets: readonly B[],
  { usage, now }: { usage: Pick<UsageStore, 'spent'>; now: number },
): Promise<{ budget: B; used: number; unpriced: number; since: number; until: number }[]> {
  const idsOf = (kind: 'agent' | 'member', of: readonly Budget[]) => [
    ...new Set(of.flatMap(({ scope }) => (scope.kind === kind ? [scope.id] : []))),
  ];
  const byPeriod = Map.groupBy(budgets, ({ period }) => period);
  const found = await Promise.all(
    [...byPeriod].map(async ([period, of]) => {
      const { since, until } = periodOf({ period }, now);
      const by = await usage.spent(since, { agents: idsOf('agent', of), members: idsOf('member', of) });
      return of.map((budget) => {
        const { cost, tokens, unpriced } = spentIn(by, budget);
        return { budget, used: budget.unit === 'cost' ? cost : tokens, unpriced, since, until };
      });
    }),
  );
  const states = new Map(found.flat().map((state) => [state.budget, state]));
  return budgets.flatMap((budget) => states.get(budget) ?? []);
}

function spentIn(by: SpentBy, { scope }: Budget): Spent {
  if (scope.kind === 'hub') return by.hub;
  return (scope.kind === 'agent' ? by.agents : by.members).get(scope.id) ?? { tokens: 0, cost: 0, unpriced: 0 };
}

/** Names a budget in a sentence. */
export function budgetName({ scope, period }: Budget): string {
  const who = scope.kind === 'hub' ? 'the hub' : `the ${scope.kind} "${scope.id}"`;
  return `budget of ${who} for this ${period}`;
}

/** Returns an amount of US dollars. Small ones have more digits, because single calls cost fractions of a cent. */
export function dollars(amount: number): string {
  if (amount === 0) return '$0.00';
  if (amount < 0.0001) return '<$0.0001';
  const [whole = '', part = ''] = amount.toFixed(amount < 0.01 ? 4 : 2).split('.');
  return `$${Number(whole).toLocaleString('en')}.${part}`;
}

export function amountOf({ unit }: Pick<Budget, 'unit'>, amount: number): string {
  if (unit === 'tokens') return `${Math.round(amount).toLocaleString('en')} tokens`;
  return dollars(amount);
}
