import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { MailThread } from '../../../src/team/mail/mail.ts';
import { useMailThreads, useUnreadMail } from '../../api/mail-queries.ts';
import { classes } from '../../ui/classes.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useListKeys } from '../../ui/use-list-keys.ts';
import { useTitle } from '../../ui/use-title.ts';
import type { VirtualListHandle } from '../../ui/virtual-list.tsx';
import { ComposeDialog } from './compose-dialog.tsx';
import { LoadingThreads, NoMail, NothingOpen, SearchingFurther } from './mail-placeholders.tsx';
import { type MailSearch, toMailFilter } from './mail-search.ts';
import { MailToolbar } from './mail-toolbar.tsx';
import { ThreadList } from './thread-list.tsx';
import { ThreadPane } from './thread-pane.tsx';
import { withOpenThread } from './update-threads.ts';

/** The user's mail: the thread list with the open thread beside it, or on top of it on narrow screens. */
export function MailScreen() {
  const navigate = useNavigate();
  const { threadId } = useParams({ strict: false });
  const search = useSearch({ from: '/mail' });
  const { show, to } = search;
  const unread = useUnreadMail();
  /** The open thread covers the list, which keeps its scroll position but is inert. */
  const isCovered = useOnePane() && threadId !== undefined;
  const list = useRef<VirtualListHandle>(null);
  const replyBox = useRef<HTMLTextAreaElement>(null);

  const go = (thread: string | undefined, next: MailSearch, replace = false) =>
    void (thread === undefined
      ? navigate({ to: '/mail', search: next, replace, resetScroll: false })
      : navigate({ to: '/mail/$threadId', params: { threadId: thread }, search: next, replace, resetScroll: false }));
  const words = useSearchWords(search.q ?? '', (q) => go(threadId, withWords(search, q), true));
  const filter = useMemo(() => toMailFilter(show, words.searchText), [show, words.searchText]);
  const listed = useMailThreads(filter);
  const threads = useThreadsWithOpen(listed, threadId, show);

  const { to: _to, ...closed } = search;
  const compose = (member: string) => go(threadId, { ...closed, to: member });
  const back = () => {
    if (threadId === undefined) return false;
    go(undefined, closed);
    return true;
  };
  const move = (step: 1 | -1) => {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.row : undefined;
    const from = focused === undefined ? indexOf(threads, threadId) : Number(focused);
    const index = Math.min(Math.max(from + step, 0), (threads?.length ?? 0) - 1);
    const next = threads?.[index];
    if (!next) return;
    if (isCovered) go(next.threadId, closed, true);
    else list.current?.focusRow(index);
  };
  useListKeys({
    move,
    hasArrows: false,
    actions: { u: back, Escape: back, r: () => replyBox.current?.focus(), c: () => compose('') },
  });
  useFocusOnReturn(threadId, (left) => {
    const index = indexOf(threads, left);
    if (index !== -1) list.current?.focusRow(index);
  });

  return (
    <div className="relative flex h-[calc(100dvh-var(--notices,0px))] min-h-96 max-md:h-[calc(100dvh-4rem-var(--notices,0px))]">
      {threadId === undefined && <MailTitle unread={unread} />}
      {/* Outside the list, which an open thread hides on narrow screens. */}
      <h1 className="sr-only">Mail</h1>
      <div
        inert={isCovered}
        className="flex min-w-0 flex-col border-line max-lg:absolute max-lg:inset-0 lg:w-88 lg:shrink-0 lg:border-r xl:w-104"
      >
        <MailToolbar
          show={show}
          text={words.text}
          unread={unread}
          onText={words.setText}
          onCompose={() => compose('')}
          onShow={(next) => go(threadId, withShow(closed, next), true)}
        />
        {!threads ? (
          listed.error ? (
            <ErrorState title="The mail could not be loaded" error={listed.error} onRetry={listed.retry} />
          ) : (
            <LoadingThreads />
          )
        ) : threads.length > 0 ? (
          <ThreadList
            // A new filter starts at the top.
            key={JSON.stringify(filter)}
            handle={list}
            threads={threads}
            openThreadId={threadId}
            isOld={listed.isOld}
            hasMore={listed.hasMore}
            isLoadingMore={listed.isLoadingMore}
            moreError={listed.moreError}
            onMore={listed.loadMore}
          />
        ) : listed.hasMore ? (
          <SearchingFurther error={listed.moreError} isLoading={listed.isLoadingMore} onMore={listed.loadMore} />
        ) : (
          <NoMail
            show={show}
            searchText={words.searchText}
            onShowAll={() => {
              words.setText('');
              go(threadId, {}, true);
            }}
          />
        )}
      </div>
      <section
        aria-label="Thread"
        className={classes(
          'flex min-w-0 flex-1 flex-col max-lg:absolute max-lg:inset-0 max-lg:z-10 max-lg:bg-bg',
          threadId === undefined && 'max-lg:hidden',
        )}
      >
        {threadId === undefined ? (
          // An empty list, and one that is loading or failed, says so itself.
          threads !== undefined && threads.length > 0 && <NothingOpen />
        ) : (
          <ThreadPane key={threadId} threadId={threadId} replyBox={replyBox} onBack={back} onWrite={compose} />
        )}
      </section>
      {to !== undefined && (
        <ComposeDialog
          to={to}
          onClose={() => go(threadId, closed, true)}
          onSent={(thread) => go(thread, closed, true)}
        />
      )}
    </div>
  );
}

function MailTitle({ unread }: { unread: number }) {
  useTitle(unread > 0 ? `(${unread > 99 ? '99+' : unread}) Mail` : 'Mail');
  return null;
}

/** Keeps the open thread in the unread list until another one opens. */
function useThreadsWithOpen(
  { threads, isOld }: Pick<ReturnType<typeof useMailThreads>, 'threads' | 'isOld'>,
  threadId: string | undefined,
  show: MailSearch['show'],
): MailThread[] | undefined {
  const opened = useRef<{ thread: MailThread; show: MailSearch['show'] } | null>(null);
  const current = isOld ? undefined : threads?.find((thread) => thread.threadId === threadId);
  useEffect(() => {
    if (current) opened.current = { thread: current, show };
  }, [current, show]);
  return useMemo(() => {
    const { thread, show: shownIn } = opened.current ?? {};
    const isKept = !isOld && show === 'unread' && shownIn === show && thread?.threadId === threadId;
    return threads && isKept ? withOpenThread(threads, thread) : threads;
  }, [threads, isOld, threadId, show]);
}

/** Returns the focus to the row of a thread when the thread closes. */
function useFocusOnReturn(threadId: string | undefined, focus: (left: string) => void): void {
  const before = useRef(threadId);
  useEffect(() => {
    if (before.current !== undefined && threadId === undefined) focus(before.current);
    before.current = threadId;
  });
}

function indexOf(threads: readonly MailThread[] | undefined, threadId: string | undefined): number {
  return threads?.findIndex((thread) => thread.threadId === threadId) ?? -1;
}

function withWords({ q: _before, ...rest }: MailSearch, q: string): MailSearch {
  return { ...rest, ...(q && { q }) };
}

function withShow({ show: _before, ...rest }: MailSearch, show: MailSearch['show']): MailSearch {
  return { ...rest, ...(show && { show }) };
}

/** The same breakpoint as `lg` in class names. */
const twoPanes = window.matchMedia('(min-width: 64rem)');

/** Returns true on narrow screens, where the open thread covers the list. */
function useOnePane(): boolean {
  return !useSyncExternalStore(
    (onChange) => {
      twoPanes.addEventListener('change', onChange);
      return () => twoPanes.removeEventListener('change', onChange);
    },
    () => twoPanes.matches,
  );
}

const typingPauseMs = 200;

/** Holds the typed search text and calls `write` to put it in the URL when typing pauses. */
function useSearchWords(textInUrl: string, write: (words: string) => void) {
  const [text, setText] = useState(textInUrl);
  const searchText = useDebounced(text.trim(), typingPauseMs);
  // The URL lags behind typing; take only changes from it that were not typed here.
  const sent = useRef<string[]>([]);
  useEffect(() => {
    const arrived = sent.current.lastIndexOf(textInUrl);
    sent.current.splice(0, arrived + 1);
    if (arrived === -1) setText(textInUrl);
  }, [textInUrl]);
  const latest = useRef({ textInUrl, write });
  useEffect(() => {
    latest.current = { textInUrl, write };
  });
  useEffect(() => {
    if (searchText === (sent.current.at(-1) ?? latest.current.textInUrl)) return;
    sent.current.push(searchText);
    latest.current.write(searchText);
  }, [searchText]);
  return { text, setText, searchText };
}
