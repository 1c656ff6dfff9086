import { Combobox as Base } from '@base-ui/react/combobox';
import { ChevronsUpDown } from 'lucide-react';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { selectClass } from './field.tsx';
import { Input } from './input.tsx';
import { OptionList, useOptionList } from './option-list.tsx';
import { leaveShortcuts } from './use-list-keys.ts';
import { useRanked } from './use-ranked.ts';

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

/** A Select whose list is searched by typing. Draws only the options near its viewport. */
export function LongSelect<V extends string>(props: SelectProps<V>) {
  const { label, value, options, onChange, disabled = false, prefix, className, id } = props;
  const { handle, follow } = useOptionList();
  const ranked = useRanked(options, (option) => ({ key: option.value, name: option.label, keywords: [] }));
  const [isOpen, setIsOpen] = useState(false);
  const pointer = useRef('');
  // Base UI opens the list and moves the focus in later frames. What is typed before would be lost, or be a shortcut.
  const focusNow = useCallback((field: HTMLInputElement | null) => {
    // A keyboard on the screen would cover the list.
    if (pointer.current !== 'touch') field?.focus({ preventScroll: true });
  }, []);
  return (
    <Base.Root<SelectOption<V>>
      {...ranked}
      open={isOpen}
      onOpenChange={setIsOpen}
      value={options.find((option) => option.value === value) ?? null}
      disabled={disabled}
      onValueChange={(next) => {
        if (next !== null) onChange(next.value);
      }}
      isItemEqualToValue={(one, other) => one.value === other.value}
      autoHighlight
      virtualized
      onItemHighlighted={follow}
    >
      <Base.Trigger
        aria-label={label}
        {...(id && { id })}
        onPointerDown={({ pointerType }) => {
          pointer.current = pointerType;
        }}
        onMouseDown={(event) => {
          if (event.button !== 0 || pointer.current === 'touch') return;
          event.preventBaseUIHandler();
          event.preventDefault();
          setIsOpen(!isOpen);
        }}
        onKeyDown={(event) => {
          pointer.current = '';
          leaveShortcuts(event);
        }}
        className={classes(selectClass, className)}
      >
        {prefix && <span className="text-faint">{prefix}</span>}
        <span className="min-w-0 flex-1 truncate text-left">
          <Base.Value />
        </span>
        <ChevronsUpDown aria-hidden className="size-3.5 text-faint" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50">
          <Base.Popup
            aria-label={label}
            className="flex max-h-[min(24rem,var(--available-height))] w-[max(var(--anchor-width),18rem)] max-w-(--available-width) flex-col rounded-xl border border-line bg-raised p-1 shadow-pop"
          >
            <Base.Input
              ref={focusNow}
              aria-label={`Search: ${label}`}
              placeholder="Search"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              render={<Input className="mb-1 shrink-0" />}
            />
            <Base.Empty className="text-muted text-sm empty:hidden [&:not(:empty)]:px-2 [&:not(:empty)]:py-3">
              Nothing matches.
            </Base.Empty>
            <OptionList<SelectOption<V>> handle={handle} keyOf={(option) => option.value}>
              {(option) => (
                <>
                  {option.icon}
                  <span className="min-w-0 flex-1 truncate">{option.label}</span>
                </>
              )}
            </OptionList>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
