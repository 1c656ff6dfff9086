import type { AgentRegistry } from '../agents/agent-registry.ts';
import { HubError } from '../base/hub-error.ts';
import type { Member } from '../team/members/member.ts';
import type { Team } from '../team/team.ts';
import type { Caller } from '../tools/caller.ts';
import { executeTool, type PipelineParts, refuseCall, type ToolCall, type ToolOutcome } from '../tools/execute-tool.ts';

/** How every surface runs tools. */
export interface Calls {
  /** Returns who calls, as the pipeline judges it. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
  resolveCaller(claim: CallerClaim): Promise<Caller>;
  /** The one way to run a tool. */
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
 * What a surface knows of who calls: a member that was identified before or that the user chose; a proof of being one;
 * or a token, without which it is the user, seeing the whole hub or one agent's view.
 */
export type CallerClaim = { surface: Caller['surface'] } & (
  | { member: string }
  | { proof: Parameters<Team['members']['identify']>[0] }
  | { token?: string | undefined; agent?: string | undefined }
);

interface CallerParts {
  agents: AgentRegistry;
  /** Loads the team and its tools, which a hub without members never does. */
  openTeam(): Promise<Team>;
}

/** The one way to learn who calls. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
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
    throw new HubError('INVALID_ARGUMENTS', 'A member calls with its own rights: leave "agent" out of the address.');
  }
  if (agentId === undefined) return { surface };
  const { agent } = await parts.agents.get(agentId);
  return { surface, scope: { agentId: agent.id, tools: agent.tools } };
}

/** A member that was given up and calls again is back. */
async function asMember(team: Team, surface: Caller['surface'], member: Member): Promise<Caller> {
  if (member.state === 'FAILED') await team.health.noteAlive(member);
  return { surface, member: await team.calling(member) };
}

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
