import { toIso } from '../../base/clock.ts';
import type { EventType } from '../../base/event-types.ts';
import { HubError } from '../../base/hub-error.ts';
import { newId } from '../../base/ids.ts';
import { type WriteOptions, writeOnce } from '../calls/once.ts';
import type { Actor } from '../members/member.ts';
import type { TeamMembers } from '../members/team-members.ts';
import type { TeamReader, TeamWriter } from '../team.store.ts';
import type { EventTarget, TeamParts } from '../team-parts.ts';
import {
  isRecipient,
  type Mail,
  type MailDraft,
  type MailReceipt,
  type MailReply,
  newMail,
  type Posting,
  recipientRule,
} from './mail.ts';
import { findMail } from './read-mail.ts';

type SendParts = Pick<TeamParts, 'store' | 'clock' | 'redact' | 'settings'>;

/** Sends a mail to a member or to the user. Throws INVALID_ARGUMENTS, and RESOURCE_NOT_FOUND for an unknown recipient. */
export async function sendMail(
  parts: SendParts & { members: Pick<TeamMembers, 'acting'> },
  actor: Actor,
  draft: MailDraft,
  options: WriteOptions = {},
): Promise<MailReceipt> {
  if (!recipientRule.holds(draft)) throw new HubError('INVALID_ARGUMENTS', recipientRule.message);
  const toAgentId = draft.toAgentId ?? null;
  if (actor.kind === 'human' && toAgentId === null) {
    throw new HubError('INVALID_ARGUMENTS', 'toAgentId: is required, because you cannot send mail to yourself');
  }
  // Looked up before the transaction, in which no other read may be awaited. A repeated key gets its first receipt even if the
  // recipient has left since.
  const isKnown = toAgentId === null || (await isMember(parts.members, toAgentId));
  return writeOnce(parts, { actor, tool: 'mcp__mail__send', input: draft, ...options }, async (rows) => {
    if (!isKnown) {
      throw new HubError('RESOURCE_NOT_FOUND', `toAgentId: there is no member "${toAgentId}" in the team.`);
    }
    return postMail(parts, rows, { ...draft, from: actor, toAgentId });
  });
}

/**
 * Replies to the sender of a mail, in the same thread. Throws RESOURCE_NOT_FOUND, PERMISSION_DENIED, and INVALID_AGENT_STATE if
 * the sender has left the team.
 */
export function replyToMail(
  parts: SendParts,
  actor: Actor,
  reply: MailReply,
  options: WriteOptions = {},
): Promise<MailReceipt> {
  return writeOnce(parts, { actor, tool: 'mcp__mail__reply', input: reply, ...options }, async (rows) => {
    const original = await findMail(rows, reply.originalMailId);
    if (!isRecipient(actor, original)) {
      throw new HubError('PERMISSION_DENIED', `Can only reply to mail you received; "${original.id}" is not one.`);
    }
    return postMail(parts, rows, {
      from: actor,
      toAgentId: await senderOf(rows, original),
      subject: /^\s*re:/i.test(original.subject) ? original.subject : `Re: ${original.subject}`,
      body: reply.body,
      inReplyTo: original,
    });
  });
}

/** Adds a mail and its `mail.sent` event to the transaction of `rows`: both are stored, or neither. */
export async function postMail(
  parts: Pick<TeamParts, 'clock' | 'redact' | 'settings'>,
  rows: TeamWriter,
  posting: Posting,
): Promise<MailReceipt> {
  const now = parts.clock.now();
  const subject = parts.redact(posting.subject);
  const body = parts.redact(posting.body);
  const mail = newMail({ ...posting, subject, body }, { id: newId('mail', now), createdAt: toIso(now) });
  const at = await rows.addMail(mail);
  const data = { mailId: mail.id, toAgentId: mail.toAgentId, isForHuman: mail.isForHuman, subject };
  await rows.addEvent(
    { id: newId('event', at), type: 'mail.sent', data: JSON.stringify(data), at },
    targetsOf('mail.sent', parts.settings.eventTargets),
  );
  return { mailId: mail.id, timestamp: toIso(at) };
}

function targetsOf(type: EventType, targets: readonly EventTarget[]): string[] {
  return targets.filter(({ events }) => events === undefined || events.includes(type)).map(({ target }) => target);
}

/** Returns the recipient of a reply: a member's id, or null for the user. */
async function senderOf(rows: Pick<TeamReader, 'member'>, mail: Mail): Promise<string | null> {
  const { fromAgentId, fromAgentType } = mail;
  if (fromAgentType === 'HUMAN') return null;
  if (fromAgentId === null) {
    throw new HubError('INVALID_AGENT_STATE', `Mail "${mail.id}" is from the hub itself, which reads no replies.`);
  }
  const sender = await rows.member(fromAgentId);
  if (sender && sender.createdAt <= mail.createdAt) return fromAgentId;
  throw new HubError('INVALID_AGENT_STATE', `"${fromAgentId}", who sent mail "${mail.id}", is no longer in the team.`);
}

async function isMember(members: Pick<TeamMembers, 'acting'>, id: string): Promise<boolean> {
  try {
    await members.acting(id);
    return true;
  } catch (error) {
    if (error instanceof HubError && error.code === 'AGENT_NOT_FOUND') return false;
    throw error;
  }
}
