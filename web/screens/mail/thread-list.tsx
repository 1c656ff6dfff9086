import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { MailThread } from '../../../src/team/mail/mail.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { errorText } from '../../ui/error-state.tsx';
import { scrollAfterNews } from './keep-place.ts';
import { ThreadRow } from './thread-row.tsx';

export interface ThreadListHandle {
  /** Scrolls there when it is far away. */
  focusRow: (index: number) => void;
}

export interface ThreadListProps {
  handle: RefObject<ThreadListHandle | null>;
  threads: readonly MailThread[];
  openThreadId: string | undefined;
  /** They answer an earlier filter; the next ones are on their way. */
  isOld: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  moreError: unknown;
  onMore: () => void;
}

const rowHeight = 84;
/** The next page is asked for this many rows before the end. */
const ahead = 15;

/** Only the rows one sees are drawn. What arrives above does not move them. */
export function ThreadList(props: ThreadListProps) {
  const { handle, threads, openThreadId, isOld, hasMore, isLoadingMore, moreError, onMore } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  const [hasNewsAbove, setHasNewsAbove] = useState(false);
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
    const next = scrollAfterNews(before, threads, { scrollTop, rowHeight });
    if (next === scrollTop) return;
    box.scrollTop = next;
    if (next > scrollTop) setHasNewsAbove(true);
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
    // A row far away is drawn only after the scroll that brings it near.
    if (!focusDrawn(index)) wanted.current = index;
  };
  useEffect(() => {
    if (wanted.current !== null && focusDrawn(wanted.current)) wanted.current = null;
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
      {hasNewsAbove && (
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
          if (event.currentTarget.scrollTop < rowHeight / 2) setHasNewsAbove(false);
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
