import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

interface SelectOption<V extends string> {
  value: V;
  label: string;
  icon?: ReactNode;
}

export interface SelectProps<V extends string> {
  /** The accessible name. */
  label: string;
  value: V;
  options: readonly SelectOption<V>[];
  onChange: (value: V) => void;
  disabled?: boolean;
  /** Shown before the value, hidden from screen readers. */
  prefix?: string;
  className?: string;
  id?: string;
}

export function Select<V extends string>(props: SelectProps<V>) {
  const { label, value, options, onChange, disabled = false, prefix, className, id } = props;
  return (
    <Base.Root
      items={options.map((option) => ({ value: option.value, label: option.label }))}
      value={value}
      disabled={disabled}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
    >
      <Base.Trigger
        aria-label={label}
        {...(id && { id })}
        className={classes(
          'inline-flex h-8 min-w-0 items-center gap-1.5 rounded-lg border border-control bg-raised px-2.5 text-sm shadow-card transition-colors hover:bg-hover data-disabled:opacity-60 max-md:h-9',
          className,
        )}
      >
        {prefix && <span className="text-faint">{prefix}</span>}
        <span className="min-w-0 flex-1 truncate text-left">
          <Base.Value />
        </span>
        <Base.Icon className="text-faint">
          <ChevronsUpDown aria-hidden className="size-3.5" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <Base.Popup className="max-h-(--available-height) min-w-(--anchor-width) origin-(--transform-origin) overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-pop transition-[opacity,scale] data-ending-style:scale-98 data-starting-style:scale-98 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                className="flex items-center gap-2 rounded-lg py-1.5 pr-2 pl-2 text-sm outline-none data-highlighted:bg-hover max-md:py-2.5"
              >
                {option.icon}
                <Base.ItemText className="min-w-0 flex-1 truncate">{option.label}</Base.ItemText>
                <Base.ItemIndicator className="text-accent-text">
                  <Check aria-hidden className="size-3.5" />
                </Base.ItemIndicator>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
