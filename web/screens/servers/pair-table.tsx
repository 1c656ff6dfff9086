import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import type { Pair } from './server-form.ts';

export interface PairTableProps {
  /** For example "Environment variables". */
  label: string;
  /** The singular, for example "variable". */
  one: string;
  namePlaceholder: string;
  pairs: readonly Pair[];
  error?: string | undefined;
  hint?: string | undefined;
  onChange: (pairs: Pair[]) => void;
}

/** Edits pairs of names and values. */
export function PairTable({ label, one, namePlaceholder, pairs, error, hint, onChange }: PairTableProps) {
  const labelId = useId();
  const change = (id: number, field: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...field } : pair)));
  const add = () =>
    onChange([...pairs, { id: Math.max(-1, ...pairs.map((pair) => pair.id)) + 1, name: '', value: '' }]);
  return (
    <fieldset aria-labelledby={labelId} className="flex min-w-0 flex-col gap-1.5">
      <span id={labelId} className="font-medium text-sm">
        {label}
      </span>
      {pairs.map((pair, index) => (
        <div key={pair.id} className="flex items-center gap-1.5">
          <Input
            aria-label={`Name of ${one} ${index + 1}`}
            placeholder={namePlaceholder}
            value={pair.name}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            // Focuses a new row.
            autoFocus={pair.name === '' && pair.value === ''}
            onChange={(event) => change(pair.id, { name: event.currentTarget.value })}
            className="flex-2 font-mono"
          />
          <Input
            aria-label={`Value of ${one} ${index + 1}`}
            placeholder="value or ${VAR}"
            value={pair.value}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => change(pair.id, { value: event.currentTarget.value })}
            className="flex-3 font-mono"
          />
          <IconButton
            size="sm"
            label={`Remove ${one} ${index + 1}`}
            icon={<X aria-hidden />}
            onClick={() => onChange(pairs.filter((each) => each.id !== pair.id))}
          />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="sm" variant="ghost" icon={<Plus aria-hidden />} onClick={add} className="-ml-1">
          Add {one}
        </Button>
        {(error || hint) && (
          <p role={error ? 'alert' : undefined} className={error ? 'text-danger text-xs' : 'text-muted text-xs'}>
            {error || hint}
          </p>
        )}
      </div>
    </fieldset>
  );
}
