import { z } from 'zod';
import type { Tool } from '../../tools/tool.ts';
import { defineTeamTool } from '../define-team-tool.ts';
import type { Team } from '../team.ts';
import { Member, MemberId, NewMember } from './member.ts';

const Worker = Member.pick({
  type: true,
  state: true,
  agent: true,
  supervisorId: true,
  tmuxSessionName: true,
  createdAt: true,
}).extend({ agentId: z.string() });

export function supervisorTools({ members }: Pick<Team, 'members'>): Tool[] {
  return [
    defineTeamTool(members, {
      name: 'mcp__supervisor__create_worker',
      title: 'Create a worker',
      description:
        'Adds a WORKER to the team, with you as its supervisor. The token authenticates it and is shown only once.',
      input: NewMember.pick({ agent: true, tmuxSessionName: true }).extend({
        agentId: MemberId.optional().describe('Derived from the agent if omitted.'),
      }),
      output: Worker.extend({ token: z.string().nullable() }),
      async run({ agentId, ...fields }, { actor, member: supervisor, options }) {
        const draft: NewMember = { ...fields, id: agentId, type: 'WORKER', supervisorId: supervisor.id };
        const { member, token } = await members.add(draft, { ...options, actor });
        return { ...toWorker(member), token };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__supervisor__stop_worker',
      title: 'Stop a worker',
      description: 'Removes a WORKER from the team. Its token stops working, and its open tasks become PENDING.',
      annotations: { destructiveHint: true },
      input: z.strictObject({ agentId: MemberId }),
      output: Worker,
      run: async ({ agentId }, { actor, options }) => toWorker(await members.remove(agentId, { ...options, actor })),
    }),
  ];
}

function toWorker({ id, type, state, agent, supervisorId, tmuxSessionName, createdAt }: Member) {
  return { agentId: id, type, state, agent, supervisorId, tmuxSessionName, createdAt };
}
