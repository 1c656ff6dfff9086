import { newId } from '../../base/ids.ts';
import { type Actor, actorId } from '../actor.ts';
import type { EventTarget, TeamParts } from '../team-parts.ts';
import type { TeamWriter } from '../team-store.ts';
import type { Escalation, Mail } from './mail.ts';

export interface Posting {
  from: Actor | { kind: 'system' };
  /** Null: to the person. */
  toAgentId: string | null;
  subject: string;
  body: string;
  inReplyTo?: Pick<Mail, 'id' | 'threadId'> | undefined;
  escalation?: Pick<Escalation, 'tool' | 'code' | 'callId' | 'isCritical'> | undefined;
}

/** Puts a mail and its `mail.sent` into the transaction that `rows` belongs to: both or neither. */
export async function postMail(
  parts: Pick<TeamParts, 'clock' | 'redact' | 'settings'>,
  rows: TeamWriter,
  posting: Posting,
): Promise<{ mailId: string; at: number }> {
  const at = parts.clock.now();
  const id = newId('mail', at);
  const { from, toAgentId } = posting;
  const subject = parts.redact(posting.subject);
  await rows.addMail({
    id,
    threadId: posting.inReplyTo?.threadId ?? id,
    inReplyTo: posting.inReplyTo?.id ?? null,
    fromAgentId: from.kind === 'system' ? null : actorId(from),
    fromAgentType: from.kind === 'member' ? from.member.type : from.kind === 'human' ? 'HUMAN' : 'SYSTEM',
    toAgentId,
    isForHuman: toAgentId === null,
    subject,
    body: parts.redact(posting.body),
    at,
    escalation: posting.escalation ?? null,
  });
  const data = { mailId: id, toAgentId, isForHuman: toAgentId === null, subject };
  await rows.addEvent(
    { id: newId('event', at), type: 'mail.sent', data: JSON.stringify(data), at },
    targetsOf('mail.sent', parts.settings.eventTargets),
  );
  return { mailId: id, at };
}

function targetsOf(type: string, targets: readonly EventTarget[]): string[] {
  return targets.filter(({ events }) => events === undefined || events.includes(type)).map(({ target }) => target);
}
