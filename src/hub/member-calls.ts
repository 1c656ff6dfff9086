import type { HubError } from '../base/hub-error.ts';
import type { Member } from '../team/member.ts';
import type { Team } from '../team/team.ts';

interface Failure {
  tool: string;
  callId: string;
  error: HubError;
  wasAccepted: boolean;
}

/** The member as it is now: one that was removed meanwhile has nobody to be told of it. */
export async function tellOfFailure(team: Team, memberId: string, failure: Failure): Promise<void> {
  const { tool, callId, wasAccepted } = failure;
  const { code, message } = failure.error;
  let member: Member;
  try {
    member = await team.members.acting(memberId);
  } catch {
    return;
  }
  await team.escalate({ member, tool, callId, code, message, wasAccepted });
}
