import { Link, Outlet, useMatchRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderPlus, GitBranchPlus, Search, X } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useKnowledge } from '../../api/knowledge-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { useSentText } from '../../ui/use-typed-text.ts';
import { focusResult, resultCount } from './result-keys.ts';
import { knowledgeSearch } from './search-params.ts';
import { WantedResult } from './wanted-result.ts';

/** The frame of all knowledge screens. Its search box keeps the focus between them. */
export function KnowledgeLayout() {
  const { data } = useKnowledge();
  const isDocument = Boolean(useMatchRoute()({ to: '/knowledge/documents/$id' }));
  const [words, setWords] = useState<string | null>(null);
  const wanted = useMemo(() => ({ words, forget: () => setWords(null) }), [words]);
  return (
    <Page>
      {!isDocument && (
        <PageHeader
          title="Knowledge"
          description="Folders and repositories that your agents can search."
          // An empty knowledge base has these buttons in its empty state.
          actions={data?.sources.length !== 0 && <AddButtons />}
        />
      )}
      <SearchBox onWant={setWords} />
      <Sections />
      <WantedResult value={wanted}>
        <Outlet />
      </WantedResult>
    </Page>
  );
}

function AddButtons() {
  const navigate = useNavigate();
  const add = (type: 'folder' | 'repository') => void navigate({ to: '/knowledge', search: { add: type } });
  return (
    <>
      <Button icon={<GitBranchPlus aria-hidden />} aria-label="Add repository" onClick={() => add('repository')}>
        <span className="max-sm:hidden">Add repository</span>
      </Button>
      <Button variant="primary" icon={<FolderPlus aria-hidden />} aria-label="Add folder" onClick={() => add('folder')}>
        <span className="max-sm:hidden">Add folder</span>
      </Button>
    </>
  );
}

function Sections() {
  const { data } = useKnowledge();
  return (
    <nav aria-label="Knowledge" className="mb-4 flex gap-0.5 border-line border-b">
      <Section to="/knowledge" count={data?.sources.length}>
        Sources
      </Section>
      <Section to="/knowledge/documents" count={data?.documents}>
        Documents
      </Section>
      <Section to="/knowledge/search">Search</Section>
    </nav>
  );
}

interface SectionProps {
  to: '/knowledge' | '/knowledge/documents' | '/knowledge/search';
  count?: number | undefined;
  children: ReactNode;
}

function Section({ to, count, children }: SectionProps) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      className="-mb-px inline-flex h-9 items-center gap-1.5 border-transparent border-b-2 px-2.5 text-muted text-sm outline-offset-[-2px] transition-colors hover:text-text max-md:h-11"
      activeProps={{ className: 'border-accent! font-medium text-text!' }}
    >
      {children}
      {count !== undefined && count > 0 && (
        <span className="rounded-full bg-hover px-1.5 text-2xs text-muted tabular-nums">
          {count.toLocaleString('en')}
        </span>
      )}
    </Link>
  );
}

interface SearchBoxProps {
  /** Called with the text whose first result is wanted; null if none is wanted any more. */
  onWant: (words: string | null) => void;
}

/** Keeps the search text in the URL for the back button, links and reloads. */
function SearchBox({ onWant }: SearchBoxProps) {
  const navigate = useNavigate();
  const isSearch = Boolean(useMatchRoute()({ to: '/knowledge/search' }));
  const search = knowledgeSearch(useSearch({ strict: false }));
  const { q = '' } = search;
  const [text, change] = useSentText(q, (next) => {
    const { q: _before, ...rest } = search;
    // Coming from another screen adds one step to the history; further typing replaces it.
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
        onChange={(event) => {
          onWant(null);
          change(event.currentTarget.value);
        }}
        onBlur={() => onWant(null)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text) {
            event.preventDefault();
            change('');
          } else if (event.key === 'ArrowDown' && resultCount() > 0) {
            event.preventDefault();
            focusResult(0);
          } else if (event.key === 'Enter') {
            event.preventDefault();
            // On another screen, text that is not new leads back to its results.
            if (isSearch || text !== q) onWant(text.trim() || null);
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
