import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderPlus, SearchX } from 'lucide-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { SearchBody } from '../../../src/knowledge/knowledge.contract.ts';
import { needsEmbeddings, useKnowledge, useKnowledgeSearch } from '../../api/knowledge-queries.ts';
import { EmbeddingsNeeded } from '../../parts/knowledge/embeddings-needed.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useTitle } from '../../ui/use-title.ts';
import { moveByKey } from './result-keys.ts';
import { SearchFilterBar } from './search-filter-bar.tsx';
import { SearchHit } from './search-hit.tsx';
import { countFilters, type KnowledgeSearch, knowledgeSearch, toSearchRequest } from './search-params.ts';
import { useWantedResult } from './wanted-result.ts';

const firstLimit = 20;
const maxResults = 100;
const typingPauseMs = 120;

export function SearchScreen() {
  const search = useSearch({ from: '/knowledge/search' });
  const navigate = useNavigate({ from: '/knowledge/search' });
  useTitle(search.q ? `${search.q} · Knowledge` : 'Search · Knowledge');
  const [limit, setLimit] = useState(firstLimit);
  const q = useDebounced(search.q, typingPauseMs);
  const request = toSearchRequest({ ...search, ...(q === undefined ? {} : { q }) }, limit);
  const results = useKnowledgeSearch(search.q?.trim() ? request : null);
  const overview = useKnowledge();
  const change = (next: { [key in keyof KnowledgeSearch]?: string }) =>
    void navigate({
      search: (now: KnowledgeSearch) => knowledgeSearch({ ...now, ...next }),
      replace: true,
      resetScroll: false,
    });
  const clear = () => change({ source: '', since: '', until: '', tags: '' });
  const defaultMode = overview.data?.embeddings.provider === 'disabled' ? 'keyword' : 'hybrid';

  return (
    <>
      <SearchFilterBar
        search={search}
        mode={search.mode ?? results.data?.mode ?? defaultMode}
        sources={overview.data?.sources ?? []}
        onChange={change}
        onClear={clear}
      />
      {!search.q?.trim() ? (
        <SearchPrompt isEmpty={overview.data?.documents === 0} />
      ) : results.data ? (
        <Results
          body={results.data}
          words={search.q}
          isOld={results.isPlaceholderData || q !== search.q}
          hasMore={results.data.results.length >= limit && limit < maxResults}
          filters={countFilters(search)}
          onMore={() => setLimit(maxResults)}
          onClear={clear}
          onTag={(tag) => change({ tags: tag })}
        />
      ) : needsEmbeddings(results.error) ? (
        <EmbeddingsNeeded>
          <Button onClick={() => change({ mode: 'keyword' })}>Use keyword search</Button>
        </EmbeddingsNeeded>
      ) : results.error ? (
        <ErrorState title="The search failed" error={results.error} onRetry={() => void results.refetch()} />
      ) : (
        <LoadingResults />
      )}
    </>
  );
}

interface ResultsProps {
  body: SearchBody;
  words: string;
  /** The results belong to an earlier search; new ones are loading. */
  isOld: boolean;
  hasMore: boolean;
  filters: number;
  onMore: () => void;
  onClear: () => void;
  onTag: (tag: string) => void;
}

function Results({ body, words, isOld, hasMore, filters, onMore, onClear, onTag }: ResultsProps) {
  const { results, mode, durationMs } = body;
  useWantedResult(words, isOld);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.result === undefined) return;
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (moveByKey(event.key, Number(event.target.dataset.result))) event.preventDefault();
  };
  if (results.length === 0) {
    return (
      <EmptyState
        art={<SearchX className="size-10" strokeWidth={1.5} />}
        title="No results"
        {...(filters > 0 && { actions: <Button onClick={onClear}>Search without filters</Button> })}
      >
        {filters > 0
          ? 'No documents match these words and filters.'
          : 'No documents match. Try fewer or different words.'}
      </EmptyState>
    );
  }
  return (
    <>
      <ResultAnnouncement text={`${results.length} results`} />
      <p className="mb-2 text-faint text-xs">
        {results.length}
        {hasMore ? '+' : ''} {results.length === 1 ? 'document' : 'documents'} by {modeWords[mode]},{' '}
        {durationMs < 1 ? '< 1' : Math.round(durationMs)} ms
      </p>
      <ol
        aria-label="Results"
        data-old={isOld || undefined}
        className={classes('flex flex-col gap-2.5 transition-opacity', isOld && 'opacity-60')}
        onKeyDown={onKeyDown}
      >
        {results.map((result, index) => (
          <SearchHit key={result.id} result={result} index={index} words={words} onTag={onTag} />
        ))}
      </ol>
      {hasMore && (
        <div className="mt-4 flex justify-center">
          <Button onClick={onMore}>Show more</Button>
        </div>
      )}
    </>
  );
}

const modeWords = { keyword: 'keyword', semantic: 'meaning', hybrid: 'keyword and meaning' };

/** Announces the number of results to screen readers once typing stops. */
function ResultAnnouncement({ text }: { text: string }) {
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAnnouncement(text), 600);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p role="status" className="sr-only">
      {announcement}
    </p>
  );
}

function SearchPrompt({ isEmpty }: { isEmpty: boolean }) {
  // Without search words, focus the search box.
  useEffect(() => document.getElementById('knowledge-search')?.focus({ preventScroll: true }), []);
  if (isEmpty) {
    return (
      <EmptyState
        title="Nothing to search yet"
        actions={
          <Link to="/knowledge" search={{ add: 'folder' }} className={buttonClass({ variant: 'primary' })}>
            <FolderPlus aria-hidden />
            Add folder
          </Link>
        }
      >
        Add a folder or repository to search its documents.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Type to search">
      Enter words or a question. Use “quotes” for exact phrases, the arrow keys to move and Enter to open.
    </EmptyState>
  );
}

function LoadingResults() {
  return (
    <div role="status" aria-busy="true" aria-label="Searching" className="flex flex-col gap-2.5">
      {['a', 'b', 'c'].map((key) => (
        <div key={key} className="rounded-card border border-line bg-surface p-4">
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="mt-3 h-3 w-full" />
          <Skeleton className="mt-2 h-3 w-4/5" />
        </div>
      ))}
    </div>
  );
}
