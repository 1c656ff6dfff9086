import { Combobox as Base } from '@base-ui/react/combobox';
import { ChevronsUpDown } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { Field } from './field.tsx';
import { Input } from './input.tsx';
import { OptionList, useOptionList } from './option-list.tsx';

export interface ComboboxProps<Item extends { id: string }> {
  label: string;
  hideLabel?: boolean;
  items: readonly Item[];
  /** Empty while nothing is selected. */
  value: string;
  onChange: (id: string) => void;
  error?: string | null;
  inputRef?: RefObject<HTMLInputElement | null> | undefined;
  placeholder: string;
  /** The accessible name of the button that opens the list. */
  showLabel: string;
  /** Shown when no item matches. */
  noMatchText: string;
  nameOf: (item: Item) => string;
  /** The text to search in. */
  searchTextOf: (item: Item) => string;
  /** Shown before the selected item's name. */
  mark?: (item: Item) => ReactNode;
  children: (item: Item) => ReactNode;
}

/** Selects one item from a list by typing part of its text. */
export function Combobox<Item extends { id: string }>(props: ComboboxProps<Item>) {
  const { items, value, onChange, nameOf, searchTextOf, mark, inputRef } = props;
  const { handle, follow } = useOptionList();
  const chosen = items.find((item) => item.id === value) ?? null;
  return (
    <Field label={props.label} hideLabel={props.hideLabel ?? false} error={props.error ?? null}>
      {(parts) => (
        <Base.Root
          items={items}
          value={chosen}
          onValueChange={(next: Item | null) => onChange(next?.id ?? '')}
          itemToStringLabel={nameOf}
          isItemEqualToValue={(one, other) => one.id === other.id}
          filter={(item, query) => searchTextOf(item).toLowerCase().includes(query.trim().toLowerCase())}
          autoHighlight
          virtualized
          onItemHighlighted={follow}
        >
          <div className="relative">
            {chosen && mark && (
              <span className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2">{mark(chosen)}</span>
            )}
            <Base.Input
              {...parts}
              {...(inputRef && { ref: inputRef })}
              placeholder={props.placeholder}
              // Typing replaces the name of the selected item, so that it searches.
              onFocus={(event) => event.currentTarget.select()}
              onClick={(event) => {
                if (chosen && event.currentTarget.value === nameOf(chosen)) event.currentTarget.select();
              }}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              render={<Input className={chosen && mark ? 'pr-8 pl-9!' : 'pr-8'} />}
            />
            <Base.Trigger
              aria-label={props.showLabel}
              className="absolute inset-y-0 right-0 flex w-8 items-center justify-center text-faint hover:text-text"
            >
              <ChevronsUpDown aria-hidden className="size-3.5" />
            </Base.Trigger>
          </div>
          <Base.Portal>
            <Base.Positioner sideOffset={4} className="z-50">
              <Base.Popup className="flex max-h-[min(22rem,var(--available-height))] w-(--anchor-width) min-w-64 flex-col rounded-xl border border-line bg-raised p-1 shadow-pop">
                <Base.Empty className="text-muted text-sm empty:hidden [&:not(:empty)]:px-2 [&:not(:empty)]:py-3">
                  {props.noMatchText}
                </Base.Empty>
                <OptionList<Item> handle={handle} keyOf={({ id }) => id}>
                  {props.children}
                </OptionList>
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </Field>
  );
}
