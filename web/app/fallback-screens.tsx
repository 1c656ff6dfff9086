import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { LoadError } from '../api/from-hub.ts';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useTitle } from '../ui/use-title.ts';
import { EmptyEnclosure } from '../ui/zoo-art.tsx';

export function NotFoundScreen() {
  useTitle('Not found');
  return (
    <Page>
      <EmptyState
        art={<EmptyEnclosure />}
        title="Page not found"
        level={1}
        actions={
          <Link to="/" className={buttonClass({ variant: 'primary' })}>
            All agents
          </Link>
        }
      >
        There is no page at this address. Check the link, or go back to your agents.
      </EmptyState>
    </Page>
  );
}

/** Replaces a screen that threw; the rest of the app keeps working. Nothing reloads by itself. */
export function CrashScreen({ error, reset }: ErrorComponentProps) {
  const isLoading = error instanceof LoadError;
  const retry = () => {
    if (isLoading) error.retry();
    reset();
  };
  return (
    <ErrorState
      level={1}
      title={isLoading ? 'This screen could not be loaded' : 'This screen could not be displayed'}
      error={error}
      onRetry={retry}
      onReload={() => window.location.reload()}
      {...(!isLoading && {
        explanation:
          'The app made a mistake here. What was saved and what you typed is safe. Try again; if that fails, reload the page or open another one.',
      })}
    />
  );
}

export function PageSkeleton() {
  return (
    <Page>
      <div role="status" aria-busy="true" aria-label="Loading" className="flex flex-col gap-4">
        <h1 className="sr-only">Loading</h1>
        <Skeleton className="h-7 w-48" />
        <Skeleton className="h-4 w-80 max-w-full" />
        <Skeleton className="mt-4 h-64 w-full" />
      </div>
    </Page>
  );
}
