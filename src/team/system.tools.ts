import { z } from 'zod';
import { toIso } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Tool } from '../tools/tool.ts';
import { answerOnce } from './calls/call-answers.ts';
import { defineTeamTool } from './define-team-tool.ts';
import { bodyText, subjectText } from './mail/mail.ts';
import type { Team } from './team.ts';
import type { TeamParts } from './team-parts.ts';

const logDecision = 'mcp__system__log_decision';

export function systemTools(
  { members, answers }: Pick<Team, 'members' | 'answers'>,
  { clock, decisions, redact }: Pick<TeamParts, 'clock' | 'decisions' | 'redact'>,
): Tool[] {
  return [
    defineTeamTool(members, {
      name: logDecision,
      title: 'Log a decision',
      description:
        'Writes a decision and its reasons into the log that people read to understand what happened. Use it when you choose between options, change a plan or learn something that others should know. Tool calls are logged automatically.',
      input: z.strictObject({
        title: subjectText.describe('The decision, in one line.'),
        body: bodyText.describe('The reasons, and the consequences.'),
      }),
      output: z.object({ logId: z.string(), timestamp: z.iso.datetime() }),
      run: (input, { member, options: { idempotencyKey: key }, context }) => {
        const append = async () => {
          const at = clock.now();
          const logId = newId('log', at);
          await decisions.append({
            callId: logId,
            kind: 'manual',
            at,
            surface: context.caller.surface,
            agentId: member.id,
            persona: member.agent,
            taskId: member.currentTaskId,
            tool: logDecision,
            decision: redact(input.title),
            reasoning: redact(input.body),
            context: JSON.stringify({ callId: context.callId }),
          });
          return { logId, timestamp: toIso(at) };
        };
        return answerOnce(answers, { owner: member.id, key, tool: logDecision, input }, append);
      },
    }),
  ];
}
