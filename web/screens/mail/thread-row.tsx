import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { MailThread } from '../../../src/team/mail/mail.ts';
import { classes } from '../../ui/classes.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { describeParticipants, faceOf, snippetOf, splitSubject } from './describe-thread.ts';
import { EscalationBadge } from './escalation-mark.tsx';
import { SenderAvatar } from './sender-avatar.tsx';

export interface ThreadRowProps {
  thread: MailThread;
  index: number;
  isOpen: boolean;
}

export const ThreadRow = memo(function ThreadRow({ thread, index, isOpen }: ThreadRowProps) {
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
      <SenderAvatar sender={faceOf(thread)} size={32} />
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
