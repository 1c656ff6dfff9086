import { HubError } from '../../base/hub-error.ts';
import type { CallingMember, PermissionRules } from '../../tools/caller.ts';
import { decide, type PermissionDecision } from '../../tools/permissions.ts';
import type { Tool } from '../../tools/tool.ts';
import type { WriteOptions } from '../calls/once.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { type AddOptions, addMember, checkAgent, type ShownTokens } from './add-member.ts';
import {
  type Actor,
  type Member,
  type MemberChange,
  type MemberType,
  memberTypes,
  type NewMember,
  type StoredMember,
  type StoredMemberChange,
} from './member.ts';
import { needsToken, otherMember, unknownMember } from './member-errors.ts';
import { removeMember } from './remove-member.ts';
import { createRoster, hashToken, newMemberToken, type Roster, toMember } from './roster.ts';
import { checkSupervisor } from './supervisors.ts';

type Proof = {
  token?: string | undefined;
  agentId?: string | undefined;
};

export type TeamMembers = ReturnType<typeof teamMembers>;

export function teamMembers(parts: TeamParts) {
  const { clock, decisions, store } = parts;
  const roster = createRoster(store);
  const shown: ShownTokens = new Map();

  /** Throws AGENT_NOT_FOUND. */
  async function stored(id: string): Promise<StoredMember> {
    const member = await roster.find(id);
    if (!member) throw unknownMember(id);
    return member;
  }

  async function get(id: string): Promise<Member> {
    return toMember(await stored(id), (await decisions.lastCalls([id])).get(id));
  }

  return {
    /**
     * Returns the id of the calling member. A token identifies it, and `agentId` must match. Without a token, `agentId` is trusted
     * only until the first token is created. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS.
     */
    identify: (proof: Proof) => identify(roster, proof),
    /** True until the first token is created. */
    believesCallers: async () => !(await roster.current()).hasHadToken,

    async list(): Promise<Member[]> {
      const { all } = await roster.current();
      const lastCalls = await decisions.lastCalls(all.map((each) => each.id));
      return all.map((each) => toMember(each, lastCalls.get(each.id)));
    },

    /** Throws AGENT_NOT_FOUND. */
    get,

    /** Returns the member behind the current call, from memory; its `lastActiveAt` is now. Throws AGENT_NOT_FOUND. */
    acting: async (id: string): Promise<Member> => toMember(await stored(id), clock.now()),

    /** Returns a member as the permission check sees it, and its state. Throws AGENT_NOT_FOUND. */
    async calling(id: string): Promise<{ member: CallingMember; state: Member['state'] }> {
      const found = await stored(id);
      return { member: await callingMember(parts, found), state: found.state };
    },

    /** Adds a member. Its token is shown only once. Throws CONFLICT for a taken id, INVALID_ARGUMENTS for an unknown agent or supervisor. */
    add: (member: NewMember, options?: AddOptions) => addMember(parts, shown, member, options),

    async change(id: string, change: MemberChange): Promise<Member> {
      await checkAgent(parts, change.agent);
      await changeMember(parts, id, async (rows) => {
        const { supervisorId, currentEpicId } = change;
        if (supervisorId) await checkSupervisor(rows, { id, supervisorId });
        if (currentEpicId && !(await rows.epic(currentEpicId))) {
          throw new HubError('INVALID_ARGUMENTS', `currentEpicId: there is no epic "${currentEpicId}".`);
        }
        return toStoredChange(parts, change);
      });
      return get(id);
    },

    remove: (id: string, options?: WriteOptions & { actor?: Actor }) => removeMember(parts, id, options),

    /** Creates a new token. A previous token stops working at once in this process, and within a second in others. */
    async makeToken(id: string): Promise<{ member: Member; token: string }> {
      const { token, hash } = newMemberToken();
      await changeMember(parts, id, async () => ({ tokenHash: hash }));
      return { member: await get(id), token };
    },

    async revokeToken(id: string): Promise<Member> {
      await changeMember(parts, id, async () => ({ tokenHash: null }));
      return get(id);
    },

    /** Returns for each tool whether a member may call it, and why. */
    async permissions(id: string, tools: readonly Tool[]): Promise<{ tool: string; decision: PermissionDecision }[]> {
      const member = await callingMember(parts, await stored(id));
      return tools.map((tool) => ({
        tool: tool.name,
        decision: decide({ surface: 'http', kind: 'member', right: 'use', member }, tool),
      }));
    },

    rules: async (type: MemberType): Promise<PermissionRules> => parts.settings.permissions[type],

    /** Returns for each tool which types may call it by their rules alone. An agent's scope can allow more. */
    matrix: async (tools: readonly Tool[]) =>
      tools.map((tool) => {
        const judge = (type: MemberType) => {
          const rules = parts.settings.permissions[type];
          const member = { id: '', type, rules, agent: null, scope: [], taskId: null };
          const { allowed, rule } = decide({ surface: 'http', kind: 'member', right: 'use', member }, tool);
          return [type, { allowed, rule }] as const;
        };
        // It has exactly one entry for each type.
        const decisions = Object.fromEntries(memberTypes.map(judge)) as Record<
          MemberType,
          { allowed: boolean; rule: string }
        >;
        return { tool: tool.name, decisions };
      }),
  };
}

async function identify(roster: Roster, { token, agentId }: Proof): Promise<string> {
  if (token !== undefined) {
    const member = await roster.findByTokenHash(hashToken(token));
    if (!member) {
      throw new HubError(
        'PERMISSION_DENIED',
        'The token belongs to no member of the team. It may have been replaced; "zoo team token MEMBER" creates a new one.',
      );
    }
    if (agentId !== undefined && agentId !== member.id) throw otherMember(member.id, agentId);
    return member.id;
  }
  if (agentId === undefined) {
    throw new HubError('INVALID_ARGUMENTS', "agentId: is required without a member's token");
  }
  if ((await roster.current()).hasHadToken) throw needsToken(agentId);
  const member = await roster.find(agentId);
  if (!member) throw unknownMember(agentId);
  return member.id;
}

/** Plans and makes a change in one transaction, so that the plan's checks still hold. Throws AGENT_NOT_FOUND. */
async function changeMember(
  { store, clock }: Pick<TeamParts, 'store' | 'clock'>,
  id: string,
  plan: (rows: TeamWriter) => Promise<StoredMemberChange>,
): Promise<void> {
  await store.write(async (rows) => {
    if (!(await rows.member(id))) throw unknownMember(id);
    await rows.changeMember(id, await plan(rows), clock.now());
  });
}

/** Leaves out fields that are undefined, so that they stay unchanged. */
function toStoredChange({ redact }: Pick<TeamParts, 'redact'>, change: MemberChange): StoredMemberChange {
  const { agent, type, state, supervisorId, currentEpicId, tmuxSessionName } = change;
  return {
    ...(agent !== undefined && { agent }),
    ...(type !== undefined && { type }),
    ...(state !== undefined && { state }),
    ...(supervisorId !== undefined && { supervisorId }),
    ...(currentEpicId !== undefined && { currentEpicId }),
    ...(tmuxSessionName !== undefined && { tmuxSessionName: tmuxSessionName && redact(tmuxSessionName) }),
  };
}

const emptyScope: readonly string[] = [];

/** Returns a member as the permission check sees it. An agent that no longer exists adds nothing to its scope. */
export async function callingMember(
  parts: Pick<TeamParts, 'settings' | 'scopeOf'>,
  member: Pick<Member, 'id' | 'type' | 'agent' | 'currentTaskId'>,
): Promise<CallingMember> {
  const { id, type, agent, currentTaskId } = member;
  return {
    id,
    type,
    rules: parts.settings.permissions[type],
    agent,
    scope: agent === null ? emptyScope : ((await parts.scopeOf(agent)) ?? emptyScope),
    taskId: currentTaskId,
  };
}
