import { HubError } from '../base/hub-error.ts';
import { implement, type Route } from '../http/route.ts';
import type { SettingStore } from '../settings/settings.ts';
import { Budget, budgetPrefix } from './budgets.ts';
import type { UsageMeter } from './meter-calls.ts';
import { usageContract } from './usage.contract.ts';
import { hourMs, keptDays, type UsageQuery, type UsageReport, type UsageStore } from './usage.ts';
import { toCsv } from './usage-csv.ts';

interface UsageParts {
  store: { readonly usage: UsageStore; readonly settings: SettingStore };
  usage: Pick<UsageMeter, 'budgets' | 'flush'>;
}

const maxIntervals = 1_000;
const maxBudgets = 100;

export function usageRoutes({ store, usage }: UsageParts): Route[] {
  async function report({ step, ...query }: Omit<UsageQuery, 'stepHours'> & { step: number }) {
    const hours = (query.until - query.since) / hourMs;
    if (hours < 0 || hours > keptDays * 24 || hours / step > maxIntervals)
      throw new HubError(
        'INVALID_ARGUMENTS',
        `step: use at most ${maxIntervals} intervals, and at most ${keptDays} days between since and until.`,
      );
    await usage.flush();
    return store.usage.report({ ...query, stepHours: step });
  }

  /** Reads one interval at a time, which bounds what a statement reads. */
  async function reportsByInterval(query: Parameters<typeof report>[0]) {
    const stepMs = query.step * hourMs;
    const reports: { at: string; report: UsageReport }[] = [];
    for (const { at } of (await report(query)).intervals) {
      const since = Date.parse(at);
      const until = Math.min(query.until, since + stepMs - 1);
      reports.push({ at, report: await store.usage.report({ ...query, since, until, stepHours: query.step }) });
    }
    return reports;
  }

  return implement(usageContract)({
    'GET /api/usage': ({ query }) => report(query),
    'GET /api/usage/export': async ({ context, query }) => {
      context.header('content-disposition', `attachment; filename="usage-by-${query.by}.csv"`);
      const reports = await reportsByInterval(query);
      return context.body(toCsv(query.by, reports), 200, { 'content-type': 'text/csv; charset=utf-8' });
    },
    'GET /api/budgets': async () => ({ budgets: await usage.budgets() }),
    'PUT /api/budgets/{id}': async ({ params, body, act }) => {
      if (!/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(params.id))
        throw new HubError('INVALID_ARGUMENTS', 'id: use up to 64 letters, digits, hyphens and underscores.');
      const key = `${budgetPrefix}${params.id}`;
      const all = await store.settings.list(budgetPrefix, Budget);
      const before = all.find((each) => each.key === key);
      if (!before && all.length >= maxBudgets)
        throw new HubError('INVALID_ARGUMENTS', `There are already ${maxBudgets} budgets. Delete one first.`);
      const { version, ...budget } = body;
      act.before = before?.value;
      act.after = budget;
      await store.settings.write(key, budget, version);
    },
    'DELETE /api/budgets/{id}': async ({ params }) => {
      if (await store.settings.delete(`${budgetPrefix}${params.id}`)) return;
      throw new HubError('NOT_FOUND', `There is no budget "${params.id.slice(0, 80)}".`);
    },
  });
}
