import { PenLine, Search, X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import type { MailSearch } from './mail-search.ts';

export interface MailToolbarProps {
  show: MailSearch['show'];
  text: string;
  unread: number;
  onShow: (show: MailSearch['show']) => void;
  onText: (text: string) => void;
  onCompose: () => void;
}

/** Search, filter and compose, above the list. */
export function MailToolbar({ show, text, unread, onShow, onText, onCompose }: MailToolbarProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <header className="flex flex-col gap-2.5 border-line border-b px-4 pt-4 pb-3 lg:pt-5">
      <div className="flex items-center gap-2">
        <p aria-hidden className="flex-1 font-display font-semibold text-2xl leading-9 tracking-[-0.012em]">
          Mail
        </p>
        <Button variant="primary" icon={<PenLine aria-hidden />} onClick={onCompose}>
          Write
        </Button>
      </div>
      <search className="relative">
        <Search
          aria-hidden
          className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 size-3.5 text-faint"
        />
        <input
          ref={field}
          type="search"
          aria-label="Search mail"
          placeholder="Search mail"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            if (text) onText('');
            else event.currentTarget.blur();
          }}
          className="h-8 w-full rounded-lg border border-control bg-raised pr-9 pl-8 text-sm outline-offset-0 transition-colors hover:border-faint max-md:h-10 max-md:text-[16px] [&::-webkit-search-cancel-button]:hidden"
        />
        <span className="-translate-y-1/2 absolute top-1/2 right-1.5 flex items-center">
          {text ? (
            <button
              type="button"
              aria-label="Clear search"
              onClick={() => {
                onText('');
                field.current?.focus();
              }}
              className="flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-text max-md:size-8"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          ) : (
            <span aria-hidden className="max-md:hidden">
              <Kbd>/</Kbd>
            </span>
          )}
        </span>
      </search>
      <Segmented
        label="Filter mail"
        value={show ?? 'inbox'}
        onChange={(next) => onShow(next === 'inbox' ? undefined : next)}
        className="w-full [&>button]:px-1.5"
        options={[
          { value: 'inbox', label: 'Inbox' },
          {
            value: 'unread',
            label: (
              <>
                Unread
                {unread > 0 && <span className="text-faint tabular-nums">{unread > 999 ? '999+' : unread}</span>}
              </>
            ),
          },
          { value: 'escalations', label: 'Escalations' },
          { value: 'all', label: 'All mail' },
        ]}
      />
    </header>
  );
}
