import { z } from 'zod';
import { hourMs, type Spender, type Spent } from './usage.ts';

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
  resetsAt: z.iso.datetime(),
});
export type BudgetState = z.infer<typeof BudgetState>;

/** Settings whose keys begin with this are budgets. */
export const budgetPrefix = 'budgets.';

export function appliesTo({ scope }: Budget, { agentId, memberId }: Pick<Spender, 'agentId' | 'memberId'>): boolean {
  if (scope.kind === 'hub') return true;
  return scope.id === (scope.kind === 'agent' ? agentId : memberId);
}

export function whoIn({ scope }: Budget): Partial<Pick<Spender, 'agentId' | 'memberId'>> {
  if (scope.kind === 'hub') return {};
  return scope.kind === 'agent' ? { agentId: scope.id } : { memberId: scope.id };
}

/** Returns when the current period began, and when the next one begins. */
export function periodOf({ period }: Pick<Budget, 'period'>, now: number): { since: number; until: number } {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (period === 'month') return { since: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) };
  const since = Date.UTC(year, month, day);
  return { since, until: since + 24 * hourMs };
}

export function usedOf({ unit }: Pick<Budget, 'unit'>, spent: Spent): number {
  return unit === 'cost' ? spent.cost : spent.tokens;
}

/** Names a budget in a sentence. */
export function budgetName({ scope, period }: Budget): string {
  const who = scope.kind === 'hub' ? 'the hub' : `the ${scope.kind} "${scope.id}"`;
  return `budget of ${who} for this ${period}`;
}

export function amountOf({ unit }: Pick<Budget, 'unit'>, amount: number): string {
  if (unit === 'tokens') return `${Math.round(amount).toLocaleString('en')} tokens`;
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}
