import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Budget, BudgetState } from '../../../src/usage/budgets.ts';
import { useAgents } from '../../api/queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { useSetBudget } from '../../api/usage-queries.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { AgentAvatar } from '../agents/agent-avatar.tsx';
import { DraftNote } from '../drafts/draft-note.tsx';
import { useFormDraft } from '../drafts/use-form-draft.ts';
import { MemberAvatar } from '../team/member-badge.tsx';

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
      scope: textOf(budget?.scope ?? { kind: 'hub' }),
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
    { id: textOf({ kind: 'hub' }), name: 'Whole hub', kind: '', icon: null },
    ...agents.map(({ id, name }) => ({
      id: textOf({ kind: 'agent', id }),
      name,
      kind: 'Agent',
      icon: <AgentAvatar id={id} size={20} />,
    })),
    ...members.map(({ id }) => ({
      id: textOf({ kind: 'member', id }),
      name: id,
      kind: 'Member',
      icon: <MemberAvatar id={id} size={20} />,
    })),
  ];
  const isUnknown = !options.some(({ id }) => id === scope);
  return (
    <FormDialog
      title={budget ? 'Edit budget' : 'Add budget'}
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
      <Combobox
        label="For"
        items={isUnknown ? [...options, { id: scope, name: scope, kind: '', icon: null }] : options}
        value={scope}
        onChange={(next) => change({ scope: next })}
        placeholder="Whole hub"
        showLabel="Show agents and members"
        noMatchText="No agents or members match."
        nameOf={({ name }) => name}
        alsoFoundBy={({ id, kind }) => ({ keywords: [id, kind] })}
        mark={({ icon }) => icon}
      >
        {({ name, kind, icon }) => (
          <>
            {icon}
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span className="text-faint text-xs">{kind}</span>
          </>
        )}
      </Combobox>
      <div className="grid gap-x-4 gap-y-4 sm:grid-cols-2">
        <Field
          label="Limit"
          error={isChecked && !isValid ? 'Enter a number above 0.' : null}
          hint={unit === 'tokens' && 'Input and output tokens together.'}
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
        <Field label="Unit">
          {({ id }) => (
            <Select
              id={id}
              label="Unit"
              value={unit}
              options={[
                { value: 'cost', label: 'US dollars' },
                { value: 'tokens', label: 'Tokens' },
              ]}
              onChange={(next) => change({ unit: next })}
            />
          )}
        </Field>
        <Field label="Period">
          {({ id }) => (
            <Select
              id={id}
              label="Period"
              value={period}
              options={[
                { value: 'day', label: 'Day' },
                { value: 'month', label: 'Month' },
              ]}
              onChange={(next) => change({ period: next })}
            />
          )}
        </Field>
        <Field label="When the limit is reached">
          {({ id }) => (
            <Select
              id={id}
              label="When the limit is reached"
              value={action}
              options={[
                { value: 'warn', label: 'Warn in the inbox' },
                { value: 'stop', label: 'Stop model calls' },
              ]}
              onChange={(next) => change({ action: next })}
            />
          )}
        </Field>
      </div>
      {action === 'stop' && unit === 'cost' && (
        <p className="text-muted text-xs">
          This budget also refuses models of unknown price. Choose tokens instead, or{' '}
          <Link to="/models" className="text-accent-text underline underline-offset-2 hover:decoration-2">
            set the prices of your models
          </Link>
          . What you entered here is kept.
        </p>
      )}
    </FormDialog>
  );
}

/** Returns the id of its option: empty for the whole hub. */
function textOf(scope: Budget['scope']): string {
  return scope.kind === 'hub' ? '' : `${scope.kind} ${scope.id}`;
}

function scopeOf(text: string): Budget['scope'] {
  const [kind = '', ...rest] = text.split(' ');
  const id = rest.join(' ');
  if (kind === 'agent') return { kind, id };
  return kind === 'member' ? { kind, id } : { kind: 'hub' };
}
