import type { AgentRegistry } from '../agents/agent-registry.ts';
import { HubError } from '../base/hub-error.ts';
import { type Identity, scopeOf, toCaller } from '../callers/callers.ts';
import type { Member } from '../team/members/member.ts';
import { needsToken, otherMember } from '../team/members/member-errors.ts';
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
 * What a surface knows about a caller: a member that was identified before or chosen by the owner, or who sent the request. A sender may
 * ask for the view of one agent, or (`claimed`) say which member it is.
 */
type CallerClaim = { surface: Caller['surface'] } & (
  | { member: string }
  | { from: Identity; agent?: string | undefined; claimed?: string | undefined }
);

interface CallerParts {
  agents: AgentRegistry;
  /** Loads the team and its tools. A hub without members never does. */
  openTeam(): Promise<Team>;
}

/** Identifies the caller. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
async function resolveCaller(parts: CallerParts, claim: CallerClaim): Promise<Caller> {
  const { surface } = claim;
  if ('member' in claim) return asMember(parts, surface, claim.member);
  const { from, agent, claimed } = claim;
  if (from.kind === 'member') {
    if (agent !== undefined)
      throw new HubError(
        'INVALID_ARGUMENTS',
        'Members call with their own permissions. Remove "agent" from the address.',
      );
    if (claimed !== undefined && claimed !== from.memberId) throw otherMember(from.memberId, claimed);
    return asMember(parts, surface, from.memberId);
  }
  if (claimed !== undefined) return asMember(parts, surface, await believed(parts, from, claimed));
  const base = toCaller(surface, from);
  const agentId = scopeOf(from, agent);
  if (agentId === undefined) return base;
  const { agent: found } = await parts.agents.get(agentId);
  return { ...base, scope: { agentId: found.id, tools: found.tools } };
}

/** Returns the member that a sender without a token says it is. Throws PERMISSION_DENIED, AGENT_NOT_FOUND. */
async function believed(parts: CallerParts, from: Identity, claimed: string): Promise<string> {
  const { members } = await parts.openTeam();
  // The owner may act as anyone.
  if (from.kind === 'owner') return (await members.acting(claimed)).id;
  if (from.right === 'none' || from.kind === 'client') throw needsToken(claimed);
  return members.identify({ agentId: claimed });
}

/** Returns the member as a caller. A FAILED member that calls again is alive. */
async function asMember(parts: CallerParts, surface: Caller['surface'], id: string): Promise<Caller> {
  const team = await parts.openTeam();
  const { member, state } = await team.members.calling(id);
  if (state === 'FAILED') await team.health.noteAlive({ id, state });
  return { surface, kind: 'member', right: 'use', member };
}

/** Returns where an error came from: the stack of its cause, if it has one. */
function traceOf(thrown: unknown): string | undefined {
  const origin = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return origin instanceof Error ? origin.stack : undefined;
}

/** Escalates failed calls by members. */
export function escalateFailures(team: Team): NonNullable<PipelineParts['onFailure']> {
  return async ({ call: { caller, tool }, callId, error: { code, message }, thrown, wasAccepted }) => {
    if (!caller.member) return;
    let member: Member;
    try {
      member = await team.members.acting(caller.member.id);
    } catch {
      // The member was removed in the meantime, so there is nobody to notify.
      return;
    }
    await team.escalate({ member, tool, callId, code, message, trace: traceOf(thrown), wasAccepted });
  };
}
