import { ArrowLeft } from 'lucide-react';
import type { RefObject } from 'react';
import type { Mail } from '../../../src/team/mail/mail.ts';
import { MemberName } from '../../parts/team/member-badge.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { EscalationBadge } from './escalation-mark.tsx';

export interface ThreadHeaderProps {
  title?: RefObject<HTMLHeadingElement | null>;
  onBack: () => void;
  subject?: string;
  mails?: readonly Mail[];
  /** False: there are earlier ones that are not loaded. */
  isWhole?: boolean;
}

/** Without a subject while the thread is not there yet. */
export function ThreadHeader({ title, onBack, subject, mails = [], isWhole = true }: ThreadHeaderProps) {
  const people = new Set(mails.flatMap(whoIsIn));
  const escalations = mails.flatMap((mail) => mail.escalation ?? []);
  const count = Math.max(...escalations.map((each) => each.count), 1);
  return (
    <header className="flex items-start gap-2 border-line border-b px-4 py-3 sm:px-6 lg:py-4">
      <div className="lg:hidden">
        <IconButton label="Back to the list" shortcut="u" icon={<ArrowLeft aria-hidden />} onClick={onBack} />
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

function whoIsIn(mail: Mail): (string | null)[] {
  const sender = mail.fromAgentType === 'SYSTEM' ? [] : [mail.fromAgentId];
  return [...sender, mail.isForHuman ? null : mail.toAgentId];
}
