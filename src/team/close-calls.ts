import type { StoredDecision } from '../tools/decision-log.ts';
import { escalateFault } from './escalate.ts';
import { toMember } from './roster.ts';
import type { TeamParts } from './team-parts.ts';

/** No member has this id. */
const owner = 'system';
/** A process that dies between its claim and the row leaves the call to whoever looks after this time. */
const claimMs = 600_000;

const code = 'INTERNAL_ERROR';
const message =
  'The process that ran this call ended before its outcome was known. Look whether it had its effect before you repeat it.';

/** Calls that a crash left open get their end in the log, and are faults of the member that made them. */
export async function closeCalls(
  parts: Pick<TeamParts, 'store' | 'decisions' | 'clock' | 'logger' | 'settings' | 'redact'>,
): Promise<{ closedCalls: string[]; mails: number }> {
  const closedCalls: string[] = [];
  let mails = 0;
  for (const call of await parts.decisions.unfinished()) {
    if (!(await claim(parts, call))) continue;
    await parts.decisions.append({
      callId: call.callId,
      kind: 'error',
      at: parts.clock.now(),
      surface: call.surface,
      agentId: call.agentId,
      persona: call.persona,
      taskId: call.taskId,
      tool: call.tool,
      decision: `Tool error: ${call.tool}`,
      reasoning: 'Automatic tool error log',
      context: JSON.stringify({ code, message }),
    });
    closedCalls.push(call.callId);
    const member = call.agentId === null ? undefined : await parts.store.member(call.agentId);
    if (!member) continue;
    mails += await escalateFault(parts, {
      member: toMember(member, call.at),
      tool: call.tool,
      callId: call.callId,
      code,
      message,
      wasAccepted: true,
    });
  }
  return { closedCalls, mails };
}

/** Of several processes that look at once, one closes the call: the log itself takes every row it is given. */
async function claim(parts: Pick<TeamParts, 'store' | 'clock'>, { callId, tool }: StoredDecision): Promise<boolean> {
  const at = parts.clock.now();
  const key = `close:${callId}:${Math.floor(at / claimMs)}`;
  const claimed = await parts.store.write((rows) => rows.claimKey({ owner, key, tool, inputHash: '', at }));
  return claimed.isNew;
}
