import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface SegmentedProps<V extends string> {
  /** The accessible name of the group. */
  label: string;
  value: V;
  options: readonly { value: V; label: ReactNode }[];
  onChange: (value: V) => void;
  className?: string;
}

/** A row of buttons that selects one option. */
export function Segmented<V extends string>({ label, value, options, onChange, className }: SegmentedProps<V>) {
  return (
    <fieldset
      aria-label={label}
      className={classes('inline-flex rounded-lg border border-line bg-sunken p-0.5', className)}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className="inline-flex h-6.5 flex-auto items-center justify-center gap-1.5 whitespace-nowrap rounded-md px-2.5 text-muted text-xs transition-colors hover:text-text aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-text aria-pressed:shadow-card max-md:h-8"
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
