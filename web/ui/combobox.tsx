import { Combobox as Base } from '@base-ui/react/combobox';
import { ChevronsUpDown } from 'lucide-react';
import { type ReactNode, type RefObject, useState } from 'react';
import { classes } from './classes.ts';
import { Field } from './field.tsx';
import { Input } from './input.tsx';
import { ListPopup, useListPopup } from './list-popup.tsx';
import { OptionList, useOptionList } from './option-list.tsx';
import type { Findable } from './rank.ts';
import { useRanked } from './use-ranked.ts';

export interface ComboboxProps<Item extends { id: string }> {
  label: string;
  hideLabel?: boolean;
  /** An item with an empty id stands for none of the others; its name is the placeholder. */
  items: readonly Item[];
  /** Empty while nothing is selected. */
  value: string;
  onChange: (id: string) => void;
  hint?: ReactNode;
  error?: string | null;
  className?: string;
  /** For the text field itself. */
  inputClass?: string;
  inputRef?: RefObject<HTMLInputElement | null> | undefined;
  placeholder: string;
  /** The accessible name of the button that opens the list. */
  showLabel: string;
  /** Shown when no item matches. */
  noMatchText: string;
  nameOf: (item: Item) => string;
  /** What else an item is found by. */
  alsoFoundBy?: (item: Item) => Partial<Pick<Findable, 'keywords' | 'about'>>;
  /** Shown before the selected item's name. */
  mark?: (item: Item) => ReactNode;
  children: (item: Item) => ReactNode;
}

/** On a phone like a select, until it is typed in: browsers zoom in on smaller text. */
const look = 'pr-8 max-md:h-9! max-md:not-focus:text-sm';

/** Selects one item from a list by typing words of it. The best match comes first. */
export function Combobox<Item extends { id: string }>(props: ComboboxProps<Item>) {
  const { items, value, onChange, nameOf, alsoFoundBy, mark, inputRef } = props;
  const { handle, follow } = useOptionList();
  const ranked = useRanked(items, (item) => ({
    key: item.id,
    name: nameOf(item),
    keywords: [],
    ...alsoFoundBy?.(item),
  }));
  const chosen = items.find(({ id }) => id !== '' && id === value) ?? null;
  const name = chosen ? nameOf(chosen) : '';
  // While the user types, what arrives from the hub does not change the text.
  const [typed, setTyped] = useState<string | null>(null);
  const type = (text: string | null) => {
    setTyped(text);
    ranked.onInputValueChange(text ?? '');
  };
  const popup = useListPopup((open) => {
    if (!open) type(null);
  });
  const hasNone = items.some(({ id }) => id === '');
  const drawn = chosen === null ? null : mark?.(chosen);
  return (
    <Field
      label={props.label}
      hideLabel={props.hideLabel ?? false}
      hint={props.hint}
      error={props.error ?? null}
      {...(props.className && { className: props.className })}
    >
      {(parts) => (
        <Base.Root<Item>
          {...ranked}
          {...popup.root}
          inputValue={typed ?? name}
          onInputValueChange={(text, { reason }) => {
            if (reason === 'input-change') type(text);
          }}
          value={chosen}
          onValueChange={(next, details) => {
            if (next) onChange(next.id);
            // Where an item stands for none, the choice is taken back with it, not by emptying the text to search for another.
            else if (hasNone) details.cancel();
            else onChange('');
          }}
          // The placeholder stands for none of them.
          itemToStringLabel={(item) => (item.id === '' ? '' : nameOf(item))}
          isItemEqualToValue={(one, other) => one.id === other.id}
          autoHighlight
          virtualized
          onItemHighlighted={follow}
        >
          <div className="relative">
            {drawn && <span className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2">{drawn}</span>}
            <Base.Input
              {...parts}
              {...(inputRef && { ref: inputRef })}
              placeholder={props.placeholder}
              // Typing replaces the name of the selected item, so that it searches.
              onFocus={(event) => event.currentTarget.select()}
              onClick={(event) => {
                if (chosen && event.currentTarget.value === nameOf(chosen)) event.currentTarget.select();
              }}
              onBlur={(event) => {
                if (event.relatedTarget) type(null);
                popup.onBlur(event);
              }}
              onKeyDown={(event) => {
                // In a closed list, Esc leaves the dialog around it. It does not take the choice back.
                if (event.key === 'Escape' && event.currentTarget.getAttribute('aria-expanded') !== 'true')
                  event.preventBaseUIHandler();
              }}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              render={
                <Input
                  className={classes(
                    look,
                    drawn ? 'pl-9!' : '',
                    value === '' && hasNone && 'placeholder:text-text',
                    props.inputClass,
                  )}
                />
              }
            />
            <Base.Trigger
              aria-label={props.showLabel}
              className="absolute inset-y-0 right-0 flex w-8 items-center justify-center text-faint hover:text-text"
            >
              <ChevronsUpDown aria-hidden className="size-3.5" />
            </Base.Trigger>
          </div>
          <ListPopup className="max-h-[min(22rem,var(--available-height))] w-(--anchor-width) min-w-64 p-1">
            <Base.Empty className="text-muted text-sm empty:hidden [&:not(:empty)]:px-2 [&:not(:empty)]:py-3">
              {props.noMatchText}
            </Base.Empty>
            <OptionList<Item> handle={handle} keyOf={({ id }) => id}>
              {props.children}
            </OptionList>
          </ListPopup>
        </Base.Root>
      )}
    </Field>
  );
}
