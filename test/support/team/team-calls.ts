import { errorCodes } from '../../../src/base/error-codes.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { callingMember } from '../../../src/team/members/team-members.ts';
import { teamTools } from '../../../src/team/team.tools.ts';
import { executeTool, type PipelineParts } from '../../../src/tools/execute-tool.ts';
import { ToolRegistry } from '../../../src/tools/tool-registry.ts';
import type { TestTeam } from './open-test-team.ts';

export interface TeamCalls {
  pipeline: PipelineParts;
  /** Returns the tool's data. Throws an Error whose message is the team's error code and the message. */
  call(agentId: string, tool: string, input?: unknown, idempotencyKey?: string): Promise<Record<string, unknown>>;
  /** Returns the team's error code of a failing call, or "none". */
  codeOf(agentId: string, tool: string, input?: unknown): Promise<string>;
}

/** The team's tools as a member calls them: through the pipeline, with permissions and the log. */
export function teamCalls({ team, parts, clock }: Pick<TestTeam, 'team' | 'parts' | 'clock'>): TeamCalls {
  const tools = new ToolRegistry();
  tools.register(...teamTools(team, parts));
  const pipeline: PipelineParts = {
    tools,
    decisions: parts.decisions,
    clock,
    logger: silentLogger,
    redact: parts.redact,
    answers: team.answers,
  };
  async function execute(agentId: string, tool: string, input: unknown = {}, idempotencyKey?: string) {
    const member = await callingMember(parts, await team.members.acting(agentId));
    return executeTool(pipeline, {
      caller: { surface: 'http', kind: 'member', right: 'use', member },
      tool,
      input,
      idempotencyKey,
    });
  }
  return {
    pipeline,
    async call(agentId, tool, input, idempotencyKey) {
      const outcome = await execute(agentId, tool, input, idempotencyKey);
      if (outcome.ok) return { ...outcome.data };
      throw new Error(`${errorCodes[outcome.error.code].team}: ${outcome.error.message}`);
    },
    async codeOf(agentId, tool, input) {
      const outcome = await execute(agentId, tool, input);
      return outcome.ok ? 'none' : errorCodes[outcome.error.code].team;
    },
  };
}
