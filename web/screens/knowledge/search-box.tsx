import { useMatchRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { Search, X } from 'lucide-react';
import { Kbd } from '../../ui/kbd.tsx';
import { useSentText } from '../../ui/use-typed-text.ts';
import { focusResult, resultCount } from './result-keys.ts';
import { knowledgeSearch } from './search-params.ts';

/** The words are in the address, so that back, links and a reload find them again. */
export function SearchBox() {
  const navigate = useNavigate();
  const isSearch = Boolean(useMatchRoute()({ to: '/knowledge/search' }));
  const search = knowledgeSearch(useSearch({ strict: false }));
  const { q = '' } = search;
  const [text, change] = useSentText(q, (next) => {
    const { q: _before, ...rest } = search;
    // From another screen the search is a step of its own; the next letters belong to it.
    void navigate({
      to: '/knowledge/search',
      search: { ...rest, ...(next && { q: next }) },
      replace: isSearch,
      resetScroll: false,
    });
  });

  return (
    <search className="relative mb-3 block">
      <Search
        aria-hidden
        className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-3.5 size-4.5 text-faint"
      />
      <input
        type="search"
        id="knowledge-search"
        aria-label="Search the knowledge base"
        placeholder="Search the knowledge base"
        autoComplete="off"
        spellCheck={false}
        maxLength={10_000}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text) {
            event.preventDefault();
            change('');
          } else if (event.key === 'ArrowDown' && resultCount() > 0) {
            event.preventDefault();
            focusResult(0);
          } else if (event.key === 'Enter') {
            event.preventDefault();
            if (isSearch) document.querySelector<HTMLElement>('[data-result="0"]')?.click();
            else if (text) change(text);
          }
        }}
        className="h-11 w-full rounded-xl border border-control bg-raised pr-11 pl-10.5 text-base shadow-card outline-offset-0 transition-colors hover:border-faint max-md:h-12 max-md:text-[16px] [&::-webkit-search-cancel-button]:hidden"
      />
      <span className="-translate-y-1/2 absolute top-1/2 right-2.5 flex items-center">
        {text ? (
          <button
            type="button"
            aria-label="Clear search"
            onClick={() => {
              change('');
              document.getElementById('knowledge-search')?.focus();
            }}
            className="flex size-7 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-text max-md:size-9"
          >
            <X aria-hidden className="size-4" />
          </button>
        ) : (
          <span aria-hidden className="max-md:hidden">
            <Kbd>/</Kbd>
          </span>
        )}
      </span>
    </search>
  );
}
