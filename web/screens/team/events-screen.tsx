import { MailWarning, RotateCw } from 'lucide-react';
import type { Delivery } from '../../../src/team/events/deliveries.contract.ts';
import { useDeadLetters, useRetryDelivery } from '../../api/team-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { NextPage } from '../../ui/next-page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { PageVirtualList } from '../../ui/virtual-list.tsx';

/** Lists events that could not be delivered after all attempts. */
export function EventsScreen() {
  useTitle('Events');
  const { data, error, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    useDeadLetters();
  const more = () => void fetchNextPage();
  const letters = data?.pages.flatMap((page) => page.deliveries);
  return (
    <div className="mx-auto max-w-6xl">
      {letters ? (
        letters.length === 0 ? (
          <EmptyState art={<MailWarning className="size-12" strokeWidth={1.25} />} title="No failed deliveries">
            Events that a webhook rejects appear here with the reason.
          </EmptyState>
        ) : (
          <>
            <p className="mb-3 text-muted text-sm">
              The receiver rejected these events, or every attempt failed. Fix the receiver, then try again.
            </p>
            <PageVirtualList
              label="Failed deliveries"
              items={letters}
              keyOf={(letter) => letter.id}
              estimateSize={150}
              gap={12}
              hasMore={hasNextPage}
              onNearEnd={hasNextPage && !isFetchingNextPage && !isFetchNextPageError ? more : undefined}
            >
              {(letter, index) => <DeadLetter letter={letter} row={index} />}
            </PageVirtualList>
            {hasNextPage && (
              <NextPage
                error={isFetchNextPageError ? error : null}
                isLoading={isFetchingNextPage}
                onMore={more}
                className="mt-3"
              />
            )}
          </>
        )
      ) : error ? (
        <ErrorState title="The events could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading events" className="flex flex-col gap-3">
          <Skeleton className="h-24 rounded-card" />
          <Skeleton className="h-24 rounded-card" />
        </div>
      )}
    </div>
  );
}

function DeadLetter({ letter, row }: { letter: Delivery; row: number }) {
  const retry = useRetryDelivery();
  const subject = subjectOf(letter.data);
  const send = () =>
    retry.mutate(letter.id, {
      onSuccess: () => showToast('Retrying now'),
      onError: (error) => showError('The event could not be retried', error),
    });
  return (
    <article
      aria-label={`${letter.type} for ${letter.target}`}
      data-row={row}
      tabIndex={-1}
      className="rounded-card border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Badge tone="danger">{letter.type}</Badge>
        <span className="font-mono text-xs">{letter.target}</span>
        <span className="text-faint text-xs">
          <RelativeTime at={letter.createdAt} /> · {formatCount(letter.attempts, 'attempt')}
        </span>
        <Button
          size="sm"
          className="ml-auto"
          icon={<RotateCw aria-hidden />}
          busy={retry.isPending}
          onClick={send}
          aria-label={`Try again: ${letter.type} to ${letter.target}`}
        >
          Try again
        </Button>
      </div>
      {subject !== null && <p className="mt-2 break-words text-sm">{subject}</p>}
      {letter.lastError !== null && (
        <p className="mt-2.5 break-words rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm">{letter.lastError}</p>
      )}
      <details className="mt-2 text-xs">
        <summary className="w-fit rounded text-muted hover:text-text">Data</summary>
        <pre className="mt-1.5 overflow-x-auto rounded-lg bg-sunken p-2.5 font-mono">{pretty(letter.data)}</pre>
      </details>
    </article>
  );
}

/** Returns the subject when the event is a mail. */
function subjectOf(json: string): string | null {
  try {
    const data: unknown = JSON.parse(json);
    return typeof data === 'object' && data !== null && 'subject' in data && typeof data.subject === 'string'
      ? data.subject
      : null;
  } catch {
    return null;
  }
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
