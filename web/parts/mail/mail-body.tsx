import type { Mail } from '../../../src/team/mail/mail.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { EscalationCard } from './escalation-mark.tsx';

/** The text of a mail, after what failed if it is an escalation. */
export function MailBody({ mail: { body, escalation } }: { mail: Pick<Mail, 'body' | 'escalation'> }) {
  return (
    <>
      {escalation && <EscalationCard escalation={escalation} />}
      {/* Mails are often plain text, so single line breaks are kept, unlike in Markdown. */}
      <div className="text-sm leading-6 [overflow-wrap:anywhere] [&_p]:whitespace-pre-line">
        <Markdown text={body} />
      </div>
    </>
  );
}
