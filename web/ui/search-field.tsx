import { Search } from 'lucide-react';
import { classes } from './classes.ts';
import { Input } from './input.tsx';
import { Kbd } from './kbd.tsx';

interface SearchFieldProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  /** Moves focus to the results. */
  onDown?: () => void;
  className?: string;
}

/** A screen's search field, focused by `/`. Esc clears it; a second Esc leaves it. */
export function SearchField({ label, placeholder, value, onChange, onDown, className }: SearchFieldProps) {
  return (
    <search className={classes('relative', className)}>
      <Search
        aria-hidden
        className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 size-4 text-faint"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && onDown) {
            event.preventDefault();
            onDown();
          }
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (value) onChange('');
          else event.currentTarget.blur();
        }}
        className="px-8! [&::-webkit-search-cancel-button]:hidden"
      />
      {!value && (
        <span aria-hidden className="-translate-y-1/2 absolute top-1/2 right-2 max-md:hidden">
          <Kbd>/</Kbd>
        </span>
      )}
    </search>
  );
}
