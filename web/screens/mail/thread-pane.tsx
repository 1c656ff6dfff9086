import { ArrowDown, MailQuestion, PenLine } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Mail } from '../../../src/team/mail/mail.ts';
import { ApiError } from '../../api/client.ts';
import { useMailThread } from '../../api/mail-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState, errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { replyTarget, splitSubject, startOfReading } from './describe-thread.ts';
import { MailItem } from './mail-item.tsx';
import { ReplyBox } from './reply-box.tsx';
import { ThreadHeader } from './thread-header.tsx';
import { useShownMails } from './use-shown-mails.ts';

export interface ThreadPaneProps {
  threadId: string;
  replyBox: RefObject<HTMLTextAreaElement | null>;
  onBack: () => void;
  onWrite: (to: string) => void;
}

export function ThreadPane({ threadId, replyBox, onBack, onWrite }: ThreadPaneProps) {
  const { mails, error, retry, ...earlier } = useMailThread(threadId);
  if (mails) return <LoadedThread {...{ mails, earlier, threadId, replyBox, onBack, onWrite }} />;
  return (
    <>
      <ThreadHeader onBack={onBack} />
      {error instanceof ApiError && error.isNotFound ? (
        <EmptyState
          art={<MailQuestion className="size-10" strokeWidth={1.5} />}
          title="No such thread"
          actions={<Button onClick={onBack}>All mail</Button>}
        >
          The address may be incomplete.
        </EmptyState>
      ) : error ? (
        <ErrorState title="The thread could not be loaded" error={error} onRetry={retry} />
      ) : (
        <LoadingThread />
      )}
    </>
  );
}

interface LoadedThreadProps extends ThreadPaneProps {
  mails: readonly Mail[];
  earlier: Pick<ReturnType<typeof useMailThread>, 'hasMore' | 'isLoadingMore' | 'moreError' | 'loadMore'>;
}

function LoadedThread({ mails, earlier, threadId, replyBox, onBack, onWrite }: LoadedThreadProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const [start] = useState(() => mails[startOfReading(mails)]);
  const [seen, setSeen] = useState(mails.at(-1)?.id);
  const shown = useShownMails({ mails, start, scroller, ...earlier });
  const followSent = useRef(false);
  const first = mails[0];
  // The first mail of all has the subject; those after it say "Re:".
  const subject = splitSubject((first?.subject ?? '').replace(earlier.hasMore ? /^\s*re:\s*/i : '', ''));
  useTitle(`${subject.text} · Mail`);
  const target = replyTarget(mails);

  const wasOpened = useRef(false);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!wasOpened.current) {
      // Once: what arrives later must not move what is being read.
      wasOpened.current = true;
      showMail(box, start);
      focusIfLost(title.current);
    } else if (followSent.current && mails.at(-1)?.fromAgentType === 'HUMAN') {
      followSent.current = false;
      setSeen(mails.at(-1)?.id);
      showMail(box, mails.at(-1));
    } else if (isAtEnd(box)) setSeen(mails.at(-1)?.id);
  }, [mails, start]);

  const firstUnseen = mails.findIndex(({ id }) => id === seen) + 1;
  const unseen = mails.length - firstUnseen;
  return (
    <>
      <ThreadHeader title={title} onBack={onBack} subject={subject.text} mails={mails} isWhole={!earlier.hasMore} />
      <div className="relative min-h-0 flex-1">
        <div
          ref={scroller}
          onScroll={(event) => {
            if (unseen > 0 && isAtEnd(event.currentTarget)) setSeen(mails.at(-1)?.id);
          }}
          className="flex h-full flex-col gap-3 overflow-y-auto overscroll-contain px-4 py-4 sm:px-6"
        >
          {earlier.moreError && (
            <p role="alert" className="self-center text-center text-danger text-sm">
              Earlier mails could not be loaded: {errorText(earlier.moreError)}
            </p>
          )}
          {shown.offer !== null && (
            <Button variant="ghost" className="self-center" busy={earlier.isLoadingMore} onClick={shown.showEarlier}>
              {shown.offer}
            </Button>
          )}
          {shown.mails.map((mail) => (
            <MailItem key={mail.id} mail={mail} />
          ))}
        </div>
        {unseen > 0 && (
          <Button
            size="sm"
            variant="primary"
            icon={<ArrowDown aria-hidden />}
            className="-translate-x-1/2 absolute bottom-2 left-1/2 z-10 rounded-full!"
            onClick={() => {
              showMail(scroller.current, mails[firstUnseen]);
              setSeen(mails.at(-1)?.id);
            }}
          >
            {formatCount(unseen, 'new mail')}
          </Button>
        )}
      </div>
      {target.kind === 'reply' ? (
        <ReplyBox
          threadId={threadId}
          mailId={target.mailId}
          to={target.to}
          box={replyBox}
          onSend={() => {
            followSent.current = true;
          }}
        />
      ) : (
        <WriteInstead mails={mails} members={target.members} onWrite={onWrite} />
      )}
    </>
  );
}

/** Mail that waits for its answer, or that members wrote to each other. */
function WriteInstead({
  mails,
  members,
  onWrite,
}: {
  mails: readonly Mail[];
  members: string[];
  onWrite: ThreadPaneProps['onWrite'];
}) {
  const isOwn = mails.some((mail) => mail.fromAgentType === 'HUMAN');
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-t px-4 py-3 text-muted text-sm sm:px-6">
      <p className="min-w-0 flex-1 basis-48">
        {isOwn
          ? 'No answer yet. It will appear here.'
          : members.length > 0
            ? 'Mail between members. Write to one of them:'
            : 'A notice of the hub. It takes no answer.'}
      </p>
      {members.slice(0, 3).map((id) => (
        <Button key={id} icon={<PenLine aria-hidden />} onClick={() => onWrite(id)} className="max-w-full">
          <span className="truncate">{isOwn ? `Write to ${id} again` : id}</span>
        </Button>
      ))}
    </div>
  );
}

function LoadingThread() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading the thread"
      className="flex flex-col gap-3 px-4 py-4 sm:px-6"
    >
      <Skeleton className="h-40 w-full rounded-card" />
      <Skeleton className="h-28 w-full rounded-card" />
    </div>
  );
}

function showMail(box: HTMLElement | null, mail: Mail | undefined): void {
  if (mail) box?.querySelector(`[data-mail="${CSS.escape(mail.id)}"]`)?.scrollIntoView({ block: 'start' });
}

function isAtEnd(box: HTMLElement | null): boolean {
  return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < 24;
}

/** Where the thread stands over the list, the row that was chosen can no longer hold the focus. */
function focusIfLost(title: HTMLElement | null): void {
  const { activeElement } = document;
  const isHeld =
    activeElement !== null &&
    activeElement !== document.body &&
    activeElement.id !== 'main' &&
    !activeElement.closest('[inert]');
  if (!isHeld) title?.focus({ preventScroll: true });
}
