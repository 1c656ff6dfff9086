import { Link } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import { memo, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { MailThread } from '../../../src/team/mail/mail.ts';
import { EscalationBadge } from '../../parts/mail/escalation-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { NextPage } from '../../ui/next-page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx';
import { avatarOf, describeParticipants, snippetOf, splitSubject } from './describe-thread.ts';
import { SenderAvatar } from './sender-avatar.tsx';
import { scrollAfterUpdate } from './update-threads.ts';

export interface ThreadListProps {
  handle: RefObject<VirtualListHandle | null>;
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

/** Draws only visible rows. New threads above do not move them. */
export function ThreadList(props: ThreadListProps) {
  const { handle, threads, openThreadId, isOld, hasMore, isLoadingMore, moreError, onMore } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [hasNewMailAbove, setHasNewMailAbove] = useState(false);

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
        <VirtualList
          scroller={scroller}
          label="Threads"
          items={threads}
          keyOf={({ threadId }) => threadId}
          estimateSize={rowHeight}
          hasMore={hasMore}
          onNearEnd={hasMore && !isLoadingMore && !isOld && !moreError ? onMore : undefined}
          handle={handle}
          className={classes('transition-opacity', isOld && 'opacity-60')}
        >
          {(thread, index) => <ThreadRow thread={thread} index={index} isOpen={thread.threadId === openThreadId} />}
        </VirtualList>
        {hasMore && <NextPage error={moreError} isLoading={isLoadingMore} onMore={onMore} className="px-4 py-2" />}
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
      style={{ height: rowHeight }}
      className={classes(
        'relative flex items-start gap-3 border-line border-b px-4 py-2.5 outline-offset-[-2px] transition-colors',
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
