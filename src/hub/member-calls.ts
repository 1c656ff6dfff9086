import type { Member } from '../team/members/member.ts';
import type { Team } from '../team/team.ts';
import type { PipelineParts } from '../tools/execute-tool.ts';

/** Tells the team of every failed call of a member. */
export function tellOfFailures(team: Team): NonNullable<PipelineParts['onFailure']> {
  return async ({ call: { caller, tool }, callId, error: { code, message }, wasAccepted }) => {
    if (!caller.member) return;
    let member: Member;
    try {
      member = await team.members.acting(caller.member.id);
    } catch {
      // It was removed meanwhile, and has nobody to be told.
      return;
    }
    await team.escalate({ member, tool, callId, code, message, wasAccepted });
  };
}
