import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp } from 'lucide-react';
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { MailThread } from '../../../src/team/mail/mail.ts';
import { EscalationBadge } from '../../parts/mail/escalation-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { errorText } from '../../ui/error-state.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { avatarOf, describeParticipants, snippetOf, splitSubject } from './describe-thread.ts';
import { SenderAvatar } from './sender-avatar.tsx';
import { scrollAfterUpdate } from './update-threads.ts';

export interface ThreadListHandle {
  /** Focuses a row and scrolls to it. */
  focusRow: (index: number) => void;
}

export interface ThreadListProps {
  handle: RefObject<ThreadListHandle | null>;
  threads: readonly MailThread[];
  openThreadId: string | undefined;
  /** The threads belong to an earlier filter; new ones are loading. */
  isOld: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  moreError: unknown;
  onMore: () => void;
}

const rowHeight = 84;
/** The next page loads this many rows before the end. */
const ahead = 15;

/** Draws only visible rows. New threads above do not move them. */
export function ThreadList(props: ThreadListProps) {
  const { handle, threads, openThreadId, isOld, hasMore, isLoadingMore, moreError, onMore } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const pendingFocus = useRef<number | null>(null);
  const [hasNewMailAbove, setHasNewMailAbove] = useState(false);
  const rows = useVirtualizer({
    count: threads.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => threads[index]?.threadId ?? index,
    estimateSize: () => rowHeight,
    overscan: 8,
  });

  const shown = useRef(threads);
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = threads;
    const box = scroller.current;
    if (before === threads || !box) return;
    const { scrollTop } = box;
    const next = scrollAfterUpdate(before, threads, { scrollTop, rowHeight });
    if (next === scrollTop) return;
    box.scrollTop = next;
    if (next > scrollTop) setHasNewMailAbove(true);
  }, [threads]);

  const items = rows.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  const isNearEnd = hasMore && !isLoadingMore && !isOld && !moreError && lastShown >= threads.length - ahead;
  useEffect(() => {
    if (isNearEnd) onMore();
  });

  const focusDrawn = (index: number) => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
    link?.focus({ preventScroll: true });
    return Boolean(link);
  };
  const focusRow = (index: number) => {
    rows.scrollToIndex(index);
    // A distant row is drawn only after scrolling.
    if (!focusDrawn(index)) pendingFocus.current = index;
  };
  useEffect(() => {
    if (pendingFocus.current !== null && focusDrawn(pendingFocus.current)) pendingFocus.current = null;
  });
  useImperativeHandle(handle, () => ({ focusRow }));

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.row === undefined) return;
    const index = Number(event.target.dataset.row);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: threads.length - 1 }[event.key];
    if (next === undefined || next < 0 || next >= threads.length || event.metaKey || event.ctrlKey || event.altKey)
      return;
    event.preventDefault();
    focusRow(next);
  };

  return (
    <div className="relative min-h-0 flex-1">
      {hasNewMailAbove && (
        <Button
          size="sm"
          variant="primary"
          icon={<ArrowUp aria-hidden />}
          className="-translate-x-1/2 absolute top-2 left-1/2 z-10 rounded-full!"
          onClick={() => scroller.current?.scrollTo({ top: 0 })}
        >
          New mail
        </Button>
      )}
      <div
        ref={scroller}
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none]"
        onScroll={(event) => {
          if (event.currentTarget.scrollTop < rowHeight / 2) setHasNewMailAbove(false);
        }}
      >
        <ul
          aria-label="Threads"
          className={classes('relative transition-opacity', isOld && 'opacity-60')}
          style={{ height: rows.getTotalSize() }}
          onKeyDown={onKeyDown}
        >
          {items.map((item) => {
            const thread = threads[item.index];
            return (
              thread && (
                <li
                  key={item.key}
                  aria-setsize={hasMore ? -1 : threads.length}
                  aria-posinset={item.index + 1}
                  className="absolute inset-x-0 border-line border-b"
                  style={{ top: item.start, height: rowHeight }}
                >
                  <ThreadRow thread={thread} index={item.index} isOpen={thread.threadId === openThreadId} />
                </li>
              )
            );
          })}
        </ul>
        {hasMore && (
          <div className="flex min-h-12 flex-wrap items-center justify-center gap-2 px-4 py-2 text-center text-xs">
            {moreError ? (
              <span role="alert" className="text-danger">
                {errorText(moreError)}
              </span>
            ) : null}
            <Button size="sm" variant="ghost" busy={isLoadingMore} onClick={onMore}>
              {moreError ? 'Try again' : 'Load more'}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

interface ThreadRowProps {
  thread: MailThread;
  index: number;
  isOpen: boolean;
}

const ThreadRow = memo(function ThreadRow({ thread, index, isOpen }: ThreadRowProps) {
  const { last, mails, unread, hasEscalation } = thread;
  const isUnread = unread > 0;
  const subject = splitSubject(thread.subject);
  const isCritical = last.escalation?.isCritical ?? subject.isCritical;
  return (
    <Link
      to="/mail/$threadId"
      params={{ threadId: thread.threadId }}
      search={({ to: _to, ...rest }) => rest}
      resetScroll={false}
      preload={false}
      data-row={index}
      aria-current={isOpen ? 'true' : undefined}
      className={classes(
        'relative flex h-full items-start gap-3 px-4 py-2.5 outline-offset-[-2px] transition-colors',
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      {hasEscalation && (
        <span aria-hidden className={classes('absolute inset-y-0 left-0 w-1', isCritical ? 'bg-danger' : 'bg-warn')} />
      )}
      <SenderAvatar sender={avatarOf(thread)} size={32} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          {isUnread && (
            <span className="inline-flex self-center">
              <span aria-hidden className="size-2 rounded-full bg-accent" />
              <span className="sr-only">Unread: </span>
            </span>
          )}
          <span
            className={classes('min-w-0 flex-1 truncate text-xs', isUnread ? 'font-semibold text-text' : 'text-muted')}
          >
            {describeParticipants(thread)}
            {mails > 1 && (
              <span className="font-normal text-faint tabular-nums">
                <span className="sr-only">, </span> {mails.toLocaleString('en')}
                <span className="sr-only"> mails</span>
              </span>
            )}
          </span>
          <RelativeTime at={last.createdAt} className="shrink-0 text-2xs text-faint" />
        </span>
        <span className="mt-0.5 flex min-w-0 items-center gap-1.5">
          <span className={classes('min-w-0 truncate text-sm', isUnread ? 'font-semibold' : 'text-text')}>
            {subject.text}
          </span>
          {hasEscalation && <EscalationBadge isCritical={isCritical} count={last.escalation?.count ?? 1} />}
        </span>
        <span className="mt-0.5 block truncate text-faint text-xs">{snippetOf(last.body) || 'No text'}</span>
      </span>
    </Link>
  );
});
