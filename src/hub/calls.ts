import type { AgentRegistry } from '../agents/agent-registry.ts';
import { HubError } from '../base/hub-error.ts';
import type { Member } from '../team/members/member.ts';
import type { Team } from '../team/team.ts';
import type { Caller } from '../tools/caller.ts';
import { executeTool, type PipelineParts, refuseCall, type ToolOutcome } from '../tools/execute-tool.ts';
import type { ToolCall } from '../tools/run-tool.ts';

/** How all surfaces run tools. */
export interface Calls {
  /** Identifies the caller. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
  resolveCaller(claim: CallerClaim): Promise<Caller>;
  /** Runs a tool: checks permission and input, logs the call and its outcome. */
  execute(call: ToolCall): Promise<ToolOutcome>;
  /** Logs a call that was rejected before its caller was known, and returns the error as its outcome. */
  refuse(call: ToolCall, error: HubError): Promise<ToolOutcome>;
}

export function openCalls(callers: CallerParts, pipeline: PipelineParts): Calls {
  return {
    resolveCaller: (claim) => resolveCaller(callers, claim),
    execute: (call) => executeTool(pipeline, call),
    refuse: (call, error) => refuseCall(pipeline, call, error),
  };
}

/**
 * What a surface knows about a caller: a member that was identified before or chosen by the user, a proof that the caller is a
 * member, or a token. A caller without a token is the user, with access to the whole hub or to the view of one agent.
 */
export type CallerClaim = { surface: Caller['surface'] } & (
  | { member: string }
  | { proof: Parameters<Team['members']['identify']>[0] }
  | { token?: string | undefined; agent?: string | undefined }
);

interface CallerParts {
  agents: AgentRegistry;
  /** Loads the team and its tools. A hub without members never does. */
  openTeam(): Promise<Team>;
}

/** Identifies the caller. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
async function resolveCaller(parts: CallerParts, claim: CallerClaim): Promise<Caller> {
  const { surface } = claim;
  if ('member' in claim || 'proof' in claim) {
    const team = await parts.openTeam();
    const { members } = team;
    return asMember(
      team,
      surface,
      await ('member' in claim ? members.acting(claim.member) : members.identify(claim.proof)),
    );
  }
  const { token, agent: agentId } = claim;
  if (token !== undefined) {
    if (agentId === undefined) return resolveCaller(parts, { surface, proof: { token } });
    throw new HubError(
      'INVALID_ARGUMENTS',
      'Members call with their own permissions. Remove "agent" from the address.',
    );
  }
  if (agentId === undefined) return { surface };
  const { agent } = await parts.agents.get(agentId);
  return { surface, scope: { agentId: agent.id, tools: agent.tools } };
}

/** Returns the member as a caller. A FAILED member that calls again is alive. */
async function asMember(team: Team, surface: Caller['surface'], member: Member): Promise<Caller> {
  if (member.state === 'FAILED') await team.health.noteAlive(member);
  return { surface, member: await team.calling(member) };
}

/** Escalates the failed calls of members. */
export function escalateFailures(team: Team): NonNullable<PipelineParts['onFailure']> {
  return async ({ call: { caller, tool }, callId, error: { code, message }, wasAccepted }) => {
    if (!caller.member) return;
    let member: Member;
    try {
      member = await team.members.acting(caller.member.id);
    } catch {
      // The member was removed in the meantime, so there is nobody to notify.
      return;
    }
    await team.escalate({ member, tool, callId, code, message, wasAccepted });
  };
}
