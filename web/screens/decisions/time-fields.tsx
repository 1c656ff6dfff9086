import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/input.tsx';

export interface TimeFieldsProps {
  since: string | undefined;
  until: string | undefined;
  onChange: (span: { since: string | undefined; until: string | undefined }) => void;
}

/** A span of time in the person's own zone. Taken when asked for: half a date is none. */
export function TimeFields({ since, until, onChange }: TimeFieldsProps) {
  const [from, setFrom] = useState(toLocal(since));
  const [to, setTo] = useState(toLocal(until));
  const isBackwards = from !== '' && to !== '' && from > to;
  const isChanged = from !== toLocal(since) || to !== toLocal(until);
  return (
    <form
      className="flex w-full flex-wrap items-center gap-2 text-muted text-xs"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBackwards) onChange({ since: toIso(from), until: toIso(to) });
      }}
    >
      <Input
        type="datetime-local"
        aria-label="From"
        value={from}
        max={to || undefined}
        onChange={(event) => setFrom(event.currentTarget.value)}
        className="w-52! max-sm:w-full!"
      />
      until
      <Input
        type="datetime-local"
        aria-label="Until"
        value={to}
        min={from || undefined}
        aria-invalid={isBackwards || undefined}
        onChange={(event) => setTo(event.currentTarget.value)}
        className="w-52! max-sm:w-full!"
      />
      <Button type="submit" size="sm" disabled={!isChanged || isBackwards}>
        Show
      </Button>
      {isBackwards && (
        <span role="alert" className="text-danger">
          The end is before the beginning.
        </span>
      )}
    </form>
  );
}

/** As the field wants it: 2026-01-31T14:05. */
function toLocal(iso: string | undefined): string {
  if (iso === undefined) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toIso(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString();
}
