import { z } from 'zod';
import type { Tool } from '../../tools/tool.ts';
import { answerOnce } from '../calls/call-answers.ts';
import { defineTeamTool } from '../define-team-tool.ts';
import type { Team } from '../team.ts';
import { Member, MemberState, MemberType } from './member.ts';
import { HealthReport, RecoveryReport } from './members.contract.ts';

const reading = { readOnlyHint: true, idempotentHint: true };

const WireMember = Member.omit({ id: true }).extend({ agentId: z.string() });

const recover = 'mcp__orchestrator__recover';

export function orchestratorTools({ members, health, answers }: Pick<Team, 'members' | 'health' | 'answers'>): Tool[] {
  return [
    defineTeamTool(members, {
      name: 'mcp__orchestrator__list_members',
      title: 'List the team',
      description: 'Lists the members of the team with type, state, current task and last activity.',
      annotations: reading,
      input: z.strictObject({ type: MemberType.optional(), state: MemberState.optional() }),
      output: z.object({ count: z.int(), members: z.array(WireMember) }),
      async run({ type, state }) {
        const found = (await members.list()).filter(
          (member) => (type ?? member.type) === member.type && (state ?? member.state) === member.state,
        );
        return { count: found.length, members: found.map(({ id, ...rest }) => ({ agentId: id, ...rest })) };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__orchestrator__check_health',
      title: 'Check the health of the team',
      description: 'Lists stalled members, tasks that have waited too long, and undelivered events.',
      annotations: reading,
      input: z.strictObject({}),
      output: HealthReport,
      run: () => health.check(),
    }),
    defineTeamTool(members, {
      name: recover,
      title: 'Recover stalled work',
      description:
        'Marks stalled members FAILED, returns their tasks, mails their supervisors, and closes calls that a crash left open. Repeating it has no further effect.',
      annotations: { idempotentHint: true },
      input: z.strictObject({}),
      output: RecoveryReport,
      run: (input, { member, options }) =>
        answerOnce(answers, { owner: member.id, key: options.idempotencyKey, tool: recover, input }, () =>
          health.recover(),
        ),
    }),
  ];
}
