import { MailOpen } from 'lucide-react';
import { useEffect } from 'react';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** Beside the list when no thread is chosen. */
export function NothingOpen() {
  return (
    <div className="flex flex-1 items-center justify-center">
      <EmptyState art={<MailOpen className="size-10" strokeWidth={1.5} />} title="No thread is open">
        <p>Choose one to read and answer it.</p>
        <p className="mt-3 flex flex-wrap items-center justify-center gap-x-3 gap-y-1.5 text-xs">
          <span className="inline-flex items-center gap-1">
            <Kbd>j</Kbd>
            <Kbd>k</Kbd> move
          </span>
          <span className="inline-flex items-center gap-1">
            <Kbd>Enter</Kbd> open
          </span>
          <span className="inline-flex items-center gap-1">
            <Kbd>r</Kbd> reply
          </span>
          <span className="inline-flex items-center gap-1">
            <Kbd>c</Kbd> write
          </span>
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

/** A search looks at a part of the mail at a time: nothing found yet is not nothing. */
export function SearchingFurther({ error, isLoading, onMore }: SearchingFurtherProps) {
  useEffect(() => {
    if (!error && !isLoading) onMore();
  });
  if (error) return <ErrorState title="The search stopped" error={error} onRetry={onMore} />;
  return (
    <p role="status" className="animate-pulse px-4 py-14 text-center text-muted text-sm">
      Searching older mail…
    </p>
  );
}
