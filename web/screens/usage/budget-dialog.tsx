import { useState } from 'react';
import type { Budget, BudgetState } from '../../../src/usage/budgets.ts';
import { useAgents } from '../../api/queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { useSetBudget } from '../../api/usage-queries.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';

export interface BudgetDialogProps {
  /** Undefined for a new one. */
  budget: BudgetState | undefined;
  onClose: () => void;
}

/** Adds or changes a budget. */
export function BudgetDialog({ budget, onClose }: BudgetDialogProps) {
  const set = useSetBudget();
  const agents = useAgents().data?.agents ?? [];
  const members = useMembers().data?.members ?? [];
  const [scope, setScope] = useState(budget ? textOf(budget.scope) : 'hub');
  const [period, setPeriod] = useState<Budget['period']>(budget?.period ?? 'month');
  const [unit, setUnit] = useState<Budget['unit']>(budget?.unit ?? 'cost');
  const [action, setAction] = useState<Budget['action']>(budget?.action ?? 'warn');
  const [limit, setLimit] = useState(budget ? String(budget.limit) : '');
  const [isChecked, setIsChecked] = useState(false);
  const amount = Number(limit);
  const isValid = limit.trim() !== '' && Number.isFinite(amount) && amount > 0;
  const options = [
    { value: 'hub', label: 'Whole hub' },
    ...agents.map(({ id, name }) => ({ value: `agent ${id}`, label: `Agent: ${name}` })),
    ...members.map(({ id }) => ({ value: `member ${id}`, label: `Member: ${id}` })),
  ];
  const known = options.some(({ value }) => value === scope) ? options : [...options, { value: scope, label: scope }];
  return (
    <FormDialog
      title={budget ? 'Edit budget' : 'Add a budget'}
      description="Counts all model calls in a day or month (UTC)."
      submit="Save"
      request={set}
      onClose={onClose}
      onSubmit={() => {
        setIsChecked(true);
        if (!isValid) return;
        const id = budget?.id ?? `b${Date.now().toString(36)}`;
        const value = { scope: scopeOf(scope), period, unit, limit: amount, action };
        set.mutate({ id, budget: value }, { onSuccess: onClose });
      }}
    >
      <Field label="For">
        {({ id }) => <Select id={id} label="For" value={scope} options={known} onChange={setScope} />}
      </Field>
      <Field
        label="Limit"
        error={isChecked && !isValid ? 'Enter a number above 0.' : null}
        hint={unit === 'cost' ? 'In US dollars.' : 'Input and output tokens together.'}
      >
        {(parts) => (
          <Input
            {...parts}
            inputMode="decimal"
            value={limit}
            onChange={(event) => setLimit(event.currentTarget.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-3">
        <Select
          label="Unit"
          value={unit}
          options={[
            { value: 'cost', label: 'US dollars' },
            { value: 'tokens', label: 'Tokens' },
          ]}
          onChange={setUnit}
        />
        <Select
          label="Period"
          value={period}
          options={[
            { value: 'day', label: 'Per day' },
            { value: 'month', label: 'Per month' },
          ]}
          onChange={setPeriod}
        />
        <Select
          label="Action"
          value={action}
          options={[
            { value: 'warn', label: 'Warn here' },
            { value: 'stop', label: 'Stop model calls' },
          ]}
          onChange={setAction}
        />
      </div>
      {action === 'stop' && unit === 'cost' && (
        <p className="text-muted text-xs">
          This budget also refuses models of unknown price. Set their price in zoo.toml, or choose tokens.
        </p>
      )}
    </FormDialog>
  );
}

function textOf(scope: Budget['scope']): string {
  return scope.kind === 'hub' ? 'hub' : `${scope.kind} ${scope.id}`;
}

function scopeOf(text: string): Budget['scope'] {
  const [kind = '', ...rest] = text.split(' ');
  const id = rest.join(' ');
  if (kind === 'agent') return { kind, id };
  return kind === 'member' ? { kind, id } : { kind: 'hub' };
}
