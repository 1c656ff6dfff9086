import type { Mail } from '../../../src/team/mail/mail.ts';
import { nameOf } from '../../parts/team/member-badge.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { senderName } from './describe-thread.ts';
import { EscalationCard } from './escalation-mark.tsx';
import { SenderAvatar, SenderTypeBadge } from './sender-avatar.tsx';

/** One mail of a thread. */
export function MailItem({ mail }: { mail: Mail }) {
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
      {mail.escalation && <EscalationCard escalation={mail.escalation} />}
      {/* Mails are written as plain text as often as in Markdown, where one line break says nothing. */}
      <div className="text-sm leading-6 [&_p]:whitespace-pre-line">
        <Markdown text={mail.body} />
      </div>
    </article>
  );
}
