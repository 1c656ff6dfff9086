import { Plus, Trash2, Wallet } from 'lucide-react';
import { useState } from 'react';
import { amountOf, type BudgetState, budgetLevel } from '../../../src/usage/budgets.ts';
import { useAgents } from '../../api/queries.ts';
import { useBudgets, useDeleteBudget, useSetBudget } from '../../api/usage-queries.ts';
import { BudgetDialog } from '../../parts/usage/budget-dialog.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { dayFormat } from './day-format.ts';

/** Lists the budgets and how much of each is used, and adds, changes and deletes them. */
export function BudgetSection() {
  const { data, error, refetch } = useBudgets();
  const [edited, setEdited] = useState<BudgetState | 'new' | null>(null);
  return (
    <section aria-label="Budgets" className="mt-8">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 className="font-semibold">Budgets</h2>
        <Button size="sm" icon={<Plus aria-hidden />} onClick={() => setEdited('new')}>
          Add budget
        </Button>
      </div>
      {!data ? (
        error ? (
          <ErrorState title="The budgets could not be loaded" error={error} onRetry={() => void refetch()} />
        ) : (
          <div role="status" aria-busy="true" aria-label="Loading budgets">
            <Skeleton className="h-16 w-full" />
          </div>
        )
      ) : data.length === 0 ? (
        <p className="flex items-center gap-2 text-muted text-sm">
          <Wallet aria-hidden className="size-4 shrink-0" />
          No budgets yet. A budget warns you, or stops model calls, once usage in a day or month reaches a limit.
        </p>
      ) : (
        <ul
          aria-label="Budgets"
          className="divide-y divide-line rounded-card border border-line bg-surface shadow-card"
        >
          {data.map((budget) => (
            <BudgetRow key={budget.id} budget={budget} onEdit={() => setEdited(budget)} />
          ))}
        </ul>
      )}
      {edited !== null && (
        <BudgetDialog budget={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />
      )}
    </section>
  );
}

const levelColors = { fine: 'bg-accent', near: 'bg-warn', over: 'bg-danger' } as const;

function BudgetRow({ budget, onEdit }: { budget: BudgetState; onEdit: () => void }) {
  const remove = useDeleteBudget();
  const set = useSetBudget();
  const { id, scope, period, unit, limit, action } = budget;
  const restore = () =>
    set.mutate(
      { id, budget: { scope, period, unit, limit, action, version: null } },
      { onError: (error) => showError('The budget could not be restored', error) },
    );
  const share = Math.min(1, budget.used / budget.limit);
  const level = budgetLevel(budget);
  const agents = useAgents().data?.agents;
  const name = nameOf(budget, (agentId) => agents?.find((agent) => agent.id === agentId)?.name ?? agentId);
  return (
    <li data-row tabIndex={-1} className="flex outline-offset-[-2px] flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <span className="min-w-48 flex-1">
        <span className="flex flex-wrap items-center gap-2 font-medium text-sm">
          {name}
          <Badge tone={budget.action === 'stop' ? 'violet' : 'neutral'}>
            {budget.action === 'stop' ? 'Stops' : 'Warns'}
          </Badge>
          {level === 'over' && <Badge tone="danger">Used up</Badge>}
          {level === 'near' && <Badge tone="warn">Nearly used up</Badge>}
        </span>
        <span className="block text-muted text-xs tabular-nums">
          {amountOf(budget, budget.used)} of {amountOf(budget, budget.limit)}, resets{' '}
          {dayFormat.format(new Date(budget.resetsAt))}, 00:00 UTC
          {budget.unit === 'cost' &&
            budget.unpriced > 0 &&
            `, excluding ${formatCount(budget.unpriced, 'call')} at an unknown price`}
        </span>
      </span>
      <span
        role="progressbar"
        aria-label={`${name}: used`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        className="h-2 w-40 overflow-hidden max-lg:w-24 rounded-full bg-sunken max-sm:order-last max-sm:w-full"
      >
        <span
          className={classes('block h-full rounded-full', levelColors[level])}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="flex items-center gap-1">
        <Button size="sm" variant="ghost" aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <IconButton
          size="sm"
          label={`Delete ${name}`}
          icon={<Trash2 aria-hidden />}
          onClick={() =>
            remove.mutate(budget.id, {
              onSuccess: () => showToast('Budget deleted', { action: { label: 'Undo', onClick: restore } }),
              onError: (error) => showError('The budget could not be deleted', error),
            })
          }
        />
      </span>
    </li>
  );
}

function nameOf({ scope, period }: BudgetState, agentName: (id: string) => string): string {
  if (scope.kind === 'hub') return `Whole hub, per ${period}`;
  return scope.kind === 'agent' ? `Agent ${agentName(scope.id)}, per ${period}` : `Member ${scope.id}, per ${period}`;
}
