import type { Mail, MailThread } from '../../../src/team/mail/mail.ts';
import { nameOf } from '../../parts/team/member-badge.tsx';

/** Names the members in a thread, after "You →" when the user wrote last. */
export function describeParticipants({ participants, last }: Pick<MailThread, 'participants' | 'last'>): string {
  const members = [...new Set(participants.filter((id) => id !== null))];
  const names = members.length > 0 ? members.join(', ') : senderName(last);
  return last.fromAgentType === 'HUMAN' ? `${nameOf(null)} → ${names}` : names;
}

export function senderName({ fromAgentId, fromAgentType }: Pick<Mail, 'fromAgentId' | 'fromAgentType'>): string {
  return fromAgentType === 'SYSTEM' ? 'Agent Zoo' : nameOf(fromAgentId);
}

/** Returns whose avatar a row shows: the last sender, or the recipient when the user wrote last. */
export function avatarOf({ last }: Pick<MailThread, 'last'>): Pick<Mail, 'fromAgentId' | 'fromAgentType'> {
  if (last.fromAgentType === 'HUMAN' && last.toAgentId !== null)
    return { fromAgentId: last.toAgentId, fromAgentType: 'WORKER' };
  return last;
}

const criticalPrefix = /^((?:re:\s*)?)⚠\uFE0F?\s*CRITICAL\s*:?\s*/i;

/** Splits off the warning prefix, which a badge shows instead. */
export function splitSubject(subject: string): { isCritical: boolean; text: string } {
  const text = subject.replace(criticalPrefix, '$1');
  return { isCritical: text !== subject, text: text || subject };
}

const maxSnippet = 160;

/** Returns the start of a mail in one line, without Markdown marks. */
export function snippetOf(body: string): string {
  return body
    .slice(0, 1_000)
    .replace(/^\s*(?:`{3,}|~{3,})\S*\s*$/gm, ' ')
    .replace(/^\s*(?:#{1,6}|[-*+]|>)\s+/gm, ' ')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/[*`]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxSnippet);
}

/** How the user can respond: reply to the newest mail from a member, or write a new mail. */
export type ReplyTarget = { kind: 'reply'; mailId: string; to: string } | { kind: 'write'; members: string[] };

export function replyTarget(mails: readonly Mail[]): ReplyTarget {
  const received = mails.findLast((mail) => mail.isForHuman && mail.fromAgentId !== null);
  if (received?.fromAgentId) return { kind: 'reply', mailId: received.id, to: received.fromAgentId };
  const members = mails.flatMap((mail) => [mail.fromAgentId, mail.toAgentId]).filter((id) => id !== null);
  return { kind: 'write', members: [...new Set(members)] };
}

/** Returns the index to scroll to: the first mail that was unread when the thread opened, else the last. */
export function startOfReading(mails: readonly Mail[]): number {
  const lastSent = mails.findLastIndex((mail) => mail.fromAgentType === 'HUMAN');
  const received = mails.filter((mail, index) => mail.isForHuman && index > lastSent);
  // Mails read together have the same `readAt`.
  const newest = received.reduce((latest, { readAt }) => (readAt !== null && readAt > latest ? readAt : latest), '');
  const start = received.find((mail) => !mail.isRead) ?? received.find((mail) => mail.readAt === newest);
  return start ? mails.indexOf(start) : mails.length - 1;
}
