import { implement, type Route } from '../../http/route.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Team } from '../team.ts';
import { taskStates } from '../work/task-moves.ts';
import { briefMember, memberTypes } from './member.ts';
import { membersContract } from './members.contract.ts';

const openStates = taskStates.filter((state) => state !== 'COMPLETED');

interface MemberRouteParts {
  team: Pick<Team, 'members' | 'tasks' | 'health'>;
  allTools(): Promise<Tool[]>;
}

export function memberRoutes({ team: { members, tasks, health }, allTools }: MemberRouteParts): Route[] {
  return implement(membersContract)({
    'GET /api/team/members': async () => ({
      members: await members.list(),
      believesCallers: await members.believesCallers(),
    }),
    'POST /api/team/members': async ({ body: { withToken, ...draft }, act }) => {
      const added = await members.add(draft, { withToken });
      Object.assign(act, { target: added.member.id, after: briefMember(added.member) });
      return added;
    },
    'GET /api/team/members/{id}': async ({ params }) => {
      const member = await members.get(params.id);
      const decisions = await members.permissions(member.id, await allTools());
      const { items } = await tasks.list({ assigneeId: member.id, state: openStates, limit: 100 });
      const permissions = decisions.map(({ tool, decision: { allowed, rule } }) => ({ tool, allowed, rule }));
      return { member, permissions, tasks: items };
    },
    'PATCH /api/team/members/{id}': async ({ params, body, act }) => {
      act.before = briefMember(await members.get(params.id));
      const member = await members.change(params.id, body);
      act.after = briefMember(member);
      return member;
    },
    'DELETE /api/team/members/{id}': async ({ params, act }) => {
      const removed = await members.remove(params.id);
      act.before = briefMember(removed);
      return { success: true, id: removed.id };
    },
    'POST /api/team/members/{id}/token': async ({ params, act }) => {
      act.before = briefMember(await members.get(params.id));
      return members.makeToken(params.id);
    },
    'DELETE /api/team/members/{id}/token': async ({ params, act }) => {
      act.before = briefMember(await members.get(params.id));
      return members.revokeToken(params.id);
    },
    'GET /api/team/permissions': async () => {
      const types = memberTypes.map(async (type) => {
        const { allow, deny } = await members.rules(type);
        return { type, allow: [...allow], deny: [...deny] };
      });
      return { types: await Promise.all(types), tools: await members.matrix(await allTools()) };
    },
    'GET /api/team/health': () => health.check(),
  });
}
