import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';
import { decide } from '../tools/permissions.ts';
import { addMember, checkAgent, type ShownTokens } from './add-member.ts';
import { callingMember } from './caller-of-member.ts';
import { type Member, MemberChange, type MemberType, memberTypes } from './member.ts';
import { checkSupervisor } from './member-supervisor.ts';
import { hashToken, newMemberToken } from './member-token.ts';
import { removeMember, unknownMember } from './remove-member.ts';
import { createRoster, type Roster, toMember } from './roster.ts';
import type { TeamMembers } from './team.ts';
import type { TeamParts } from './team-parts.ts';
import type { StoredMemberChange, TeamWriter } from './team-store.ts';

export function teamMembers(parts: TeamParts): TeamMembers {
  const { clock, decisions, store } = parts;
  const roster = createRoster(store);
  const shown: ShownTokens = new Map();

  async function get(id: string): Promise<Member> {
    const stored = await roster.find(id);
    if (!stored) throw unknownMember(id);
    return toMember(stored, (await decisions.lastCalls([id])).get(id));
  }

  return {
    identify: (proof) => identify(roster, proof, clock.now()),
    believesCallers: async () => (await roster.current()).byTokenHash.size === 0,

    async list() {
      const { all } = await roster.current();
      const lastCalls = await decisions.lastCalls(all.map((each) => each.id));
      return all.map((each) => toMember(each, lastCalls.get(each.id)));
    },

    get,

    async acting(id) {
      const stored = await roster.find(id);
      if (!stored) throw unknownMember(id);
      return toMember(stored, clock.now());
    },

    add: (member, options) => addMember(parts, shown, member, options),

    async change(id, given) {
      const change = parseWith(MemberChange, given);
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

    remove: (id, options) => removeMember(parts, id, options),

    async makeToken(id) {
      const { token, hash } = newMemberToken();
      await changeMember(parts, id, async () => ({ tokenHash: hash }));
      return { member: await get(id), token };
    },

    async revokeToken(id) {
      await changeMember(parts, id, async () => ({ tokenHash: null }));
      return get(id);
    },

    async permissions(id, tools) {
      const stored = await roster.find(id);
      if (!stored) throw unknownMember(id);
      const member = await callingMember(parts, toMember(stored, undefined));
      return tools.map((tool) => ({ tool: tool.name, decision: decide({ surface: 'http', member }, tool) }));
    },

    rules: async (type) => parts.settings.permissions[type],

    matrix: async (tools) =>
      tools.map((tool) => {
        const judge = (type: MemberType) => {
          const rules = parts.settings.permissions[type];
          const member = { id: '', type, rules, agent: null, scope: [], taskId: null };
          const { allowed, rule } = decide({ surface: 'http', member }, tool);
          return [type, { allowed, rule }] as const;
        };
        // One entry for each of the types, and no other.
        const decisions = Object.fromEntries(memberTypes.map(judge)) as Record<
          MemberType,
          { allowed: boolean; rule: string }
        >;
        return { tool: tool.name, decisions };
      }),
  };
}

async function identify(
  roster: Roster,
  { token, agentId }: { token?: string | undefined; agentId?: string | undefined },
  now: number,
): Promise<Member> {
  if (token !== undefined) {
    const member = await roster.findByTokenHash(hashToken(token));
    if (!member) {
      throw new HubError(
        'PERMISSION_DENIED',
        'The token belongs to no member of the team. It may have been replaced: "zoo team token MEMBER" makes a new one.',
      );
    }
    if (agentId !== undefined && agentId !== member.id) {
      const claimed = agentId.slice(0, 80);
      throw new HubError(
        'PERMISSION_DENIED',
        `agentId: the token is the one of "${member.id}", not of "${claimed}". Call as "${member.id}", or with the other's token.`,
      );
    }
    return toMember(member, now);
  }
  if (agentId === undefined) {
    throw new HubError('INVALID_ARGUMENTS', "agentId: is required where no member's token says who calls");
  }
  if ((await roster.current()).byTokenHash.size > 0) {
    throw new HubError(
      'PERMISSION_DENIED',
      `To call as "${agentId.slice(0, 80)}" a token is needed, in the header Authorization and after the word Bearer. "zoo team token MEMBER" makes one.`,
    );
  }
  const member = await roster.find(agentId);
  if (!member) throw unknownMember(agentId);
  return toMember(member, now);
}

/** What `plan` checks still holds when its change is made. Throws AGENT_NOT_FOUND. */
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

/** A field that is not named stays as it is. */
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
