import { ArrowDown, ArrowLeft, MailQuestion, PenLine } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Mail } from '../../../src/team/mail/mail.ts';
import { ApiError } from '../../api/client.ts';
import { useMailThread } from '../../api/mail-queries.ts';
import { EscalationBadge } from '../../parts/mail/escalation-mark.tsx';
import { MailBody } from '../../parts/mail/mail-body.tsx';
import { ReplyBox } from '../../parts/mail/reply-box.tsx';
import { MemberName, nameOf } from '../../parts/team/member-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState, errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { replyTarget, senderName, splitSubject, startOfReading } from './describe-thread.ts';
import { SenderAvatar, SenderTypeBadge } from './sender-avatar.tsx';
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
          title="Thread not found"
          actions={<Button onClick={onBack}>Back to mail</Button>}
        >
          The link may be incomplete.
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
  // Only the first mail has the bare subject; later ones start with "Re:".
  const subject = splitSubject((first?.subject ?? '').replace(earlier.hasMore ? /^\s*re:\s*/i : '', ''));
  useTitle(`${subject.text} · Mail`);
  const target = replyTarget(mails);

  const wasOpened = useRef(false);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!wasOpened.current) {
      // Only once: later mail must not move what the user reads.
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
              Earlier mail could not be loaded: {errorText(earlier.moreError)}
            </p>
          )}
          {shown.offerLabel !== null && (
            <Button variant="ghost" className="self-center" busy={earlier.isLoadingMore} onClick={shown.showEarlier}>
              {shown.offerLabel}
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

/** Replaces the reply box when no member has written to the user in this thread. */
function WriteInstead({
  mails,
  members,
  onWrite,
}: {
  mails: readonly Mail[];
  members: string[];
  onWrite: ThreadPaneProps['onWrite'];
}) {
  const hasSent = mails.some((mail) => mail.fromAgentType === 'HUMAN');
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-t px-4 py-3 text-muted text-sm sm:px-6">
      <p className="min-w-0 flex-1 basis-48">
        {hasSent
          ? 'No reply yet. It will appear here.'
          : members.length > 0
            ? 'Mail between members. Write to:'
            : 'A notice from the hub. You cannot reply to it.'}
      </p>
      {members.slice(0, 3).map((id) => (
        <Button key={id} icon={<PenLine aria-hidden />} onClick={() => onWrite(id)} className="max-w-full">
          <span className="truncate">{hasSent ? `Write to ${id} again` : id}</span>
        </Button>
      ))}
    </div>
  );
}

function LoadingThread() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading thread" className="flex flex-col gap-3 px-4 py-4 sm:px-6">
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

/** Focuses the title when the thread covers the list, where the chosen row can no longer hold the focus. */
function focusIfLost(title: HTMLElement | null): void {
  const { activeElement } = document;
  const hasFocus =
    activeElement !== null &&
    activeElement !== document.body &&
    activeElement.id !== 'main' &&
    !activeElement.closest('[inert]');
  if (!hasFocus) title?.focus({ preventScroll: true });
}

interface ThreadHeaderProps {
  title?: RefObject<HTMLHeadingElement | null>;
  onBack: () => void;
  subject?: string;
  mails?: readonly Mail[];
  /** False when earlier mails are not loaded yet. */
  isWhole?: boolean;
}

/** Has no subject while the thread loads. */
function ThreadHeader({ title, onBack, subject, mails = [], isWhole = true }: ThreadHeaderProps) {
  const people = new Set(mails.flatMap(participantsOf));
  const escalations = mails.flatMap((mail) => mail.escalation ?? []);
  const count = Math.max(...escalations.map((each) => each.count), 1);
  return (
    <header className="flex items-start gap-2 border-line border-b px-4 py-3 sm:px-6 lg:py-4">
      <div className="lg:hidden">
        <IconButton label="Back to list" shortcut="u" icon={<ArrowLeft aria-hidden />} onClick={onBack} />
      </div>
      {subject !== undefined && (
        <div className="min-w-0 flex-1">
          <h2 ref={title} tabIndex={-1} className="break-words font-semibold text-lg leading-7 outline-none">
            {subject}
          </h2>
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
            {escalations.length > 0 && (
              <span className="flex gap-1.5">
                <EscalationBadge isCritical={escalations.some((each) => each.isCritical)} count={count} />
              </span>
            )}
            {[...people].map((id) => (
              <MemberName key={id ?? ''} id={id} size={16} className="max-w-48" />
            ))}
            <span className="text-faint">
              {!isWhole && 'more than '}
              {formatCount(mails.length, 'mail')}
            </span>
          </div>
        </div>
      )}
    </header>
  );
}

function participantsOf(mail: Mail): (string | null)[] {
  const sender = mail.fromAgentType === 'SYSTEM' ? [] : [mail.fromAgentId];
  return [...sender, mail.isForHuman ? null : mail.toAgentId];
}

/** One mail of a thread. */
function MailItem({ mail }: { mail: Mail }) {
  const sender = senderName(mail);
  return (
    <article
      aria-label={`Mail from ${sender}`}
      data-mail={mail.id}
      className="scroll-mt-3 rounded-card border border-line bg-surface p-4 shadow-card max-sm:p-3.5"
    >
      <header className="mb-3 flex items-start gap-3">
        <SenderAvatar sender={mail} size={34} />
        <div className="min-w-0 flex-1">
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="min-w-0 break-all font-semibold text-sm">{sender}</span>
            <SenderTypeBadge sender={mail} />
          </p>
          <p className="break-all text-faint text-xs">to {mail.isForHuman ? 'you' : nameOf(mail.toAgentId)}</p>
        </div>
        <RelativeTime at={mail.createdAt} className="shrink-0 text-faint text-xs" />
      </header>
      <MailBody mail={mail} />
    </article>
  );
}
