import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import type { Tool } from '../../tools/tool.ts';
import { defineTeamTool } from '../define-team-tool.ts';
import type { Team } from '../team.ts';
import { Epic, Task } from '../work/work.ts';
import { Member } from './member.ts';

const reading = { readOnlyHint: true, idempotentHint: true };
const nothing = z.strictObject({});

/** The tools through which a member reads its own status, task and epic. */
export function introspectionTools({ members, tasks, epics }: Pick<Team, 'members' | 'tasks' | 'epics'>): Tool[] {
  return [
    defineTeamTool(members, {
      name: 'mcp__agent__get_status',
      title: 'Get your status',
      description:
        'Returns your place in the team: your id, type and state, your supervisor, and your current epic and task.',
      annotations: reading,
      input: nothing,
      output: Member.omit({ hasToken: true }),
      run: async (_, { member }) => {
        const { hasToken: _hasToken, ...status } = member;
        return status;
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__agent__get_task',
      title: 'Get your task',
      description:
        'Returns the task you are working on, with its description, worktree, branch and pull request. For workers. Fails with INVALID_AGENT_STATE if you have none.',
      annotations: reading,
      input: nothing,
      output: Task,
      run: async (_, { member }) => {
        if (member.type !== 'WORKER') {
          throw new HubError(
            'INVALID_AGENT_STATE',
            `"${member.id}" is a ${member.type}; only a WORKER has a current task.`,
          );
        }
        return tasks.currentOf(member);
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__agent__get_epic',
      title: 'Get your epic',
      description:
        "Returns your current epic. A worker's epic is the one its task belongs to. Use it to see the purpose of your task. Fails with INVALID_AGENT_STATE if you have none.",
      annotations: reading,
      input: nothing,
      output: Epic,
      run: (_, { member }) => epics.currentOf(member),
    }),
  ];
}
