import { dayMs, toIso } from '../../base/clock.ts';
import { durationWords } from '../../base/duration-words.ts';
import { errorCodes } from '../../base/error-codes.ts';
import { fenced } from '../../base/fenced.ts';
import type { Member } from '../members/member.ts';
import { nearestSupervisor } from '../members/supervisors.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { postMail } from './send-mail.ts';

type EscalationParts = Pick<TeamParts, 'store' | 'clock' | 'logger' | 'settings' | 'redact'>;

/** The errors that count as faults. All others are the caller's mistakes and go back to the caller only. */
const faultCodes: ReadonlySet<string> = new Set(['INTERNAL_ERROR', 'TRANSIENT_ERROR']);

/** Tools whose failure is also mailed to the user. The last two are names of the same tool. */
const criticalTools: ReadonlySet<string> = new Set([
  'mcp__mail__send',
  'mcp__agent__get_task',
  'mcp__agent__get_epic',
  'mcp__epic__update_status',
  'mcp__task__update_status',
  'mcp__task__update_state',
]);

const maxToolCharacters = 128;
const maxMessageCharacters = 2_000;
const maxTraceCharacters = 8_000;

export interface Fault {
  member: Member;
  tool: string;
  callId: string;
  code: string;
  message: string;
  /** Where the error came from. Only the user's mail has it; members and callers never see it. */
  trace?: string | undefined;
  /** The input was valid. Only then does the failure of a critical tool count. */
  wasAccepted: boolean;
}

/**
 * Mails a fault to the member's supervisor, or to the user if there is none, and any failure of a critical tool to the user.
 * Returns the number of mails sent. A mail that cannot be sent is only logged: a call never fails because of its escalation.
 */
export async function escalateFault(parts: EscalationParts, call: Fault): Promise<number> {
  const fault = { ...call, code: teamCode(call.code) };
  // The caller that cancels a call knows that it ended.
  const isFault = faultCodes.has(fault.code) && call.code !== 'CANCELLED';
  const isCritical = fault.wasAccepted && criticalTools.has(fault.tool);
  if (!isFault && !isCritical) return 0;
  try {
    return await parts.store.write((rows) => mailFault({ parts, rows, fault, isFault, isCritical }));
  } catch (error) {
    const { callId, code } = fault;
    parts.logger.error({ err: error, agentId: fault.member.id, callId, code }, 'a failed call could not be mailed');
    return 0;
  }
}

/** Returns the error code as the member saw it. */
function teamCode(code: string): string {
  const known = Object.entries(errorCodes).find(([each]) => each === code);
  return known ? known[1].team : code;
}

interface Escalating {
  parts: EscalationParts;
  rows: TeamWriter;
  fault: Fault;
  isFault: boolean;
  isCritical: boolean;
}

async function mailFault(escalating: Escalating): Promise<number> {
  const { rows, fault, isFault, isCritical } = escalating;
  // Locks the member's row, so that a second process with the same fault sees the first one's mail.
  const member = (await rows.member(fault.member.id)) ?? fault.member;
  const recipients = new Set<string | null>();
  if (isFault) recipients.add(nearestSupervisor(await rows.members(), member));
  if (isCritical) recipients.add(null);
  let mails = 0;
  for (const recipient of recipients) if (await mailOnce(escalating, recipient)) mails += 1;
  return mails;
}

/** Sends a mail, or counts the fault in an earlier mail if that one is still within the window. */
async function mailOnce({ parts, rows, fault, isCritical }: Escalating, recipient: string | null): Promise<boolean> {
  const at = parts.clock.now();
  const { escalationWindowMs: window } = parts.settings;
  const tool = fault.tool.slice(0, maxToolCharacters);
  const key = JSON.stringify([fault.member.id, tool, fault.code, recipient]);
  // The upper limit leaves out mails sent while a clock was ahead.
  const open = await rows.escalations(key, at - window, at + window);
  if (open.length > 0) {
    await rows.countEscalation(
      open.map(({ mailId }) => mailId),
      at,
    );
    return false;
  }
  const isCriticalForUser = isCritical && recipient === null;
  // Redacts before cutting: part of a secret would not be recognized.
  const trace = fault.trace && parts.redact(fault.trace).slice(0, maxTraceCharacters);
  const earlier = await earlierTimes(rows, key, at - Math.max(dayMs, 2 * window));
  const { mailId } = await postMail(parts, rows, {
    from: { kind: 'member', member: fault.member },
    toAgentId: recipient,
    subject: isCriticalForUser ? `⚠️ CRITICAL: ${tool} failed (${fault.code})` : `Tool failed: ${tool} (${fault.code})`,
    body: bodyOf(fault, { tool, at, earlier, window, trace: recipient === null ? trace : undefined }),
    escalation: { tool, code: fault.code, callId: fault.callId, isCritical: isCriticalForUser },
  });
  await rows.addEscalation({ fault: key, mailId, at });
  return true;
}

/** Returns a sentence about the occurrences that the last mail counted. */
async function earlierTimes(rows: TeamWriter, key: string, since: number): Promise<string | undefined> {
  const mailIds = (await rows.escalations(key, since)).map(({ mailId }) => mailId);
  // Ids sort by time.
  const last = mailIds.sort().at(-1);
  const mail = last === undefined ? undefined : await rows.mail(last);
  if (!mail?.escalation) return undefined;
  const { count, lastAt } = mail.escalation;
  return count === 1
    ? `It failed once before, at ${readable(mail.createdAt)} (mail ${mail.id}).`
    : `It failed ${count} times before, from ${readable(mail.createdAt)} to ${readable(lastAt)} (mail ${mail.id}).`;
}

interface MailFacts {
  tool: string;
  at: number;
  earlier: string | undefined;
  window: number;
  trace: string | undefined;
}

function bodyOf(fault: Fault, { tool, at, earlier, window, trace }: MailFacts): string {
  const { member, code, callId, message } = fault;
  const instance = member.agent === null ? '' : `, an instance of ${member.agent}`;
  return [
    `A call by ${member.id} to ${tool} failed.`,
    ...(earlier === undefined ? [] : [earlier]),
    '',
    `Error: ${code}`,
    `Message: ${message.slice(0, maxMessageCharacters)}`,
    `Member: ${member.id} (${member.type}${instance})`,
    ...(member.currentTaskId === null ? [] : [`Task: ${member.currentTaskId}`]),
    `Call: ${callId}`,
    `When: ${readable(toIso(at))}`,
    '',
    `The decision log has the call's input and error: \`zoo log --call ${callId}\`, or Decisions in the web app.`,
    `Reply to this mail to tell ${member.id} how to continue.`,
    `If the same call fails again within ${durationWords(window)}, this mail counts it and no new mail is sent.`,
    ...(trace === undefined ? [] : ['', 'Trace:', fenced(trace)]),
  ].join('\n');
}

function readable(moment: string): string {
  return `${moment.slice(0, 19).replace('T', ' ')} UTC`;
}
