import { Inbox, MailOpen, SearchX, ShieldCheck } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { KeyHint } from '../../ui/kbd.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { MailSearch } from './mail-search.ts';

/** Fills the reading pane while no thread is open. */
export function NothingOpen() {
  return (
    <div className="flex flex-1 items-center justify-center">
      <EmptyState art={<MailOpen className="size-10" strokeWidth={1.5} />} title="No thread selected">
        <p>Choose one to read and reply.</p>
        <p className="mt-3 flex flex-wrap items-center justify-center gap-x-3 gap-y-1.5 text-xs">
          <KeyHint keys={['j', 'k']}>move</KeyHint>
          <KeyHint keys={['Enter']}>open</KeyHint>
          <KeyHint keys={['r']}>reply</KeyHint>
          <KeyHint keys={['c']}>write</KeyHint>
        </p>
      </EmptyState>
    </div>
  );
}

export function LoadingThreads() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading mail" className="flex flex-col gap-4 p-4">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <div key={key} className="flex gap-3">
          <Skeleton className="size-8 shrink-0 rounded-lg" />
          <div className="flex flex-1 flex-col gap-2">
            <Skeleton className="h-3 w-1/3" />
            <Skeleton className="h-3.5 w-3/4" />
            <Skeleton className="h-3 w-full" />
          </div>
        </div>
      ))}
    </div>
  );
}

export interface SearchingFurtherProps {
  error: unknown;
  isLoading: boolean;
  onMore: () => void;
}

/** Searches the next batch of older mail, because an empty batch does not mean that nothing matches. */
export function SearchingFurther({ error, isLoading, onMore }: SearchingFurtherProps) {
  useEffect(() => {
    if (!error && !isLoading) onMore();
  });
  if (error) return <ErrorState title="The search failed" error={error} onRetry={onMore} />;
  return (
    <p role="status" className="animate-pulse px-4 py-14 text-center text-muted text-sm">
      Searching older mail…
    </p>
  );
}

interface NoMailProps {
  show: MailSearch['show'];
  /** Empty when there is no search. */
  searchText: string;
  onShowAll: () => void;
}

export function NoMail({ show, searchText, onShowAll }: NoMailProps) {
  if (searchText) {
    return (
      <EmptyState
        art={<SearchX className="size-10" strokeWidth={1.5} />}
        title="No mail found"
        actions={<Button onClick={onShowAll}>Show inbox</Button>}
      >
        No mail matches “{searchText}”.
      </EmptyState>
    );
  }
  if (show === 'escalations') {
    return (
      <EmptyState art={<ShieldCheck className="size-10" strokeWidth={1.5} />} title="No escalations">
        When a member's call fails through no fault of its own, its supervisor gets a mail. Without a supervisor, you
        do.
      </EmptyState>
    );
  }
  const art = <Inbox className="size-10" strokeWidth={1.5} />;
  if (show === 'unread') {
    return (
      <EmptyState art={art} title="No unread mail" actions={<Button onClick={onShowAll}>Show inbox</Button>}>
        You're all caught up.
      </EmptyState>
    );
  }
  return (
    <EmptyState art={art} title="No mail yet">
      {show === 'all' ? 'Members write to each other' : 'Members write to you'} with{' '}
      <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">mcp__mail__send</code>. New mail appears here
      right away.
    </EmptyState>
  );
}
