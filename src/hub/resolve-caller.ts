import type { AgentRegistry } from '../agents/agent-registry.ts';
import { HubError } from '../base/hub-error.ts';
import type { Member } from '../team/members/member.ts';
import type { Team } from '../team/team.ts';
import type { Caller } from '../tools/caller.ts';

/**
 * What a surface knows of who calls: a member that was identified before or that the user chose; a proof of being one;
 * or a token, without which it is the user, seeing the whole hub or one agent's view.
 */
export type CallerClaim = { surface: Caller['surface'] } & (
  | { member: string }
  | { proof: Parameters<Team['members']['identify']>[0] }
  | { token?: string | undefined; agent?: string | undefined }
);

export interface CallerParts {
  agents: AgentRegistry;
  /** Loads the team and its tools, which a hub without members never does. */
  openTeam(): Promise<Team>;
}

/** The one way to learn who calls. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
export async function resolveCaller(parts: CallerParts, claim: CallerClaim): Promise<Caller> {
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
