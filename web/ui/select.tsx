import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { Suspense } from 'react';
import { fromHub, lazyPart } from '../api/from-hub.ts';
import { classes } from './classes.ts';
import { selectClass } from './field.tsx';
import type { LongSelect as Long, SelectProps } from './long-select.tsx';
import { leaveShortcuts } from './use-list-keys.ts';

// The first screen has only short lists.
const LongSelect = lazyPart(
  fromHub(() => import('./long-select.tsx')),
  'LongSelect',
) as typeof Long & { preload: () => Promise<void> };

/** More options than this are searched. */
const maxOptions = 60;

/** Chooses one of a list of options. A long list has a search field, and only the options near its viewport are drawn. */
export function Select<V extends string>(props: SelectProps<V>) {
  if (props.options.length <= maxOptions) return <ShortSelect {...props} />;
  const { value, options, className } = props;
  return (
    <Suspense
      fallback={
        <span aria-hidden className={classes(selectClass, className)}>
          {options.find((option) => option.value === value)?.label}
        </span>
      }
    >
      <LongSelect {...props} />
    </Suspense>
  );
}

function ShortSelect<V extends string>(props: SelectProps<V>) {
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
        onKeyDown={leaveShortcuts}
        className={classes(selectClass, className)}
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
