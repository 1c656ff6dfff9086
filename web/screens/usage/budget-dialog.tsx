import { useState } from 'react';
import type { Budget, BudgetState } from '../../../src/usage/budgets.ts';
import { useAgents } from '../../api/queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { useSetBudget } from '../../api/usage-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { PriceHint } from './price-hint.tsx';

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
  const draft = useFormDraft(
    `budget/${budget?.id ?? 'new'}`,
    {
      scope: budget ? textOf(budget.scope) : 'hub',
      period: budget?.period ?? ('month' as Budget['period']),
      unit: budget?.unit ?? ('cost' as Budget['unit']),
      action: budget?.action ?? ('warn' as Budget['action']),
      limit: budget ? String(budget.limit) : '',
    },
    budget ? { base: String(budget.version) } : {},
  );
  const { scope, period, unit, action, limit } = draft.value;
  const change = (next: Partial<typeof draft.value>) => draft.set((before) => ({ ...before, ...next }));
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
        draft.save(set.mutateAsync({ id, budget: { ...value, version: budget?.version ?? null } }), {
          whileOpen: onClose,
        });
      }}
    >
      <DraftNote draft={draft} />
      <Field label="For">
        {({ id }) => (
          <Select id={id} label="For" value={scope} options={known} onChange={(next) => change({ scope: next })} />
        )}
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
            onChange={(event) => change({ limit: event.currentTarget.value })}
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
          onChange={(next) => change({ unit: next })}
        />
        <Select
          label="Period"
          value={period}
          options={[
            { value: 'day', label: 'Per day' },
            { value: 'month', label: 'Per month' },
          ]}
          onChange={(next) => change({ period: next })}
        />
        <Select
          label="Action"
          value={action}
          options={[
            { value: 'warn', label: 'Warn in the inbox' },
            { value: 'stop', label: 'Stop model calls' },
          ]}
          onChange={(next) => change({ action: next })}
        />
      </div>
      {action === 'stop' && unit === 'cost' && (
        <div className="text-muted text-xs">
          <p className="mb-2">
            This budget also refuses models of unknown price. Choose tokens instead, or set the prices of your models:
          </p>
          <PriceHint />
        </div>
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
