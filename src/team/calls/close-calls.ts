import { HubError } from '../../base/hub-error.ts';
import type { Lease, ProcessLeases } from '../../base/lease.ts';
import { automaticDecision, automaticWords } from '../../tools/decision-log.ts';
import { escalateFault } from '../mail/escalate.ts';
import { toMember } from '../members/roster.ts';
import type { TeamParts } from '../team-parts.ts';

interface ClosedCalls {
  closedCalls: string[];
  mails: number;
}

const code = 'INTERNAL_ERROR';
const message =
  'The process that ran this call ended before its outcome was known. Check whether it took effect before you repeat it.';

/** Logs an error for calls that a crash left open, and escalates them as faults of the calling members. */
export async function closeCalls(
  parts: Pick<TeamParts, 'store' | 'decisions' | 'clock' | 'logger' | 'settings' | 'redact'>,
): Promise<ClosedCalls> {
  const none = { closedCalls: [], mails: 0 };
  if ((await parts.decisions.unfinished()).length === 0) return none;
  // The log accepts duplicate rows, so only the process with the lease writes.
  const lease = await takeUnlessHeld(parts.store.leases, 'close calls');
  if (!lease) return none;
  try {
    return await closeHeld(parts, lease.lost);
  } finally {
    await lease.release();
  }
}

async function closeHeld(parts: Parameters<typeof closeCalls>[0], lost: AbortSignal): Promise<ClosedCalls> {
  const closedCalls: string[] = [];
  let mails = 0;
  // Read again, because the previous holder of the lease may have closed some.
  for (const call of await parts.decisions.unfinished()) {
    if (lost.aborted) break;
    await parts.decisions.append({
      callId: call.callId,
      kind: 'error',
      at: parts.clock.now(),
      surface: call.surface,
      agentId: call.agentId,
      persona: call.persona,
      taskId: call.taskId,
      tool: call.tool,
      decision: automaticDecision('error', call.tool),
      reasoning: automaticWords.error.reasoning,
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

async function takeUnlessHeld(leases: ProcessLeases, name: string): Promise<Lease | undefined> {
  try {
    return await leases.take(name);
  } catch (error) {
    if (error instanceof HubError && error.code === 'CONFLICT') return undefined;
    throw error;
  }
}
