import type { z } from 'zod';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { owner, toCaller } from '../callers/callers.ts';
import { implement, type Route } from '../http/route.ts';
import type { Calls } from '../hub/calls.ts';
import { executeRequest, type RequestParts } from '../team/calls/execute-request.routes.ts';
import type { Team } from '../team/team.ts';
import { asContent, toToolResult } from './content.ts';
import { decide } from './permissions.ts';
import type { Tool } from './tool.ts';
import type { ToolRegistry } from './tool-registry.ts';
import { type ToolBody, type ToolDetailBody, type ToolTrialBody, toolsContract } from './tools.contract.ts';

interface ToolParts extends RequestParts {
  agents: AgentRegistry;
  tools: ToolRegistry;
  team: Pick<Team, 'members'>;
  /** Includes the team's tools. */
  allTools(): Promise<Tool[]>;
}

export function toolRoutes(parts: ToolParts): Route[] {
  return implement(toolsContract)({
    'GET /api/tools': async () => {
      await parts.agents.refresh();
      return { tools: await describeTools(parts) };
    },
    'POST /api/tools/{name}/call': ({ params, body, signal }) => tryTool(parts, params.name, body, signal),
    'GET /tools/list': async ({ caller: from, query }) => {
      const caller = await parts.resolveCaller({ surface: 'http', from, agent: query.agent });
      const visible = parts.tools.list().filter((tool) => !tool.isHidden && decide(caller, tool).allowed);
      return { tools: visible.map(toListedTool) };
    },
    'POST /tools/{name}': async ({ context, caller, params, query, body, signal }) => {
      const outcome = await executeRequest(parts, context.env.incoming, {
        from: caller,
        agent: query.agent,
        call: { tool: params.name, input: body ?? {}, signal },
      });
      if (!outcome.ok) throw outcome.error;
      return context.json(toToolResult(outcome.data));
    },
  });
}

async function describeTools(parts: ToolParts): Promise<ToolDetailBody[]> {
  const tools = await parts.allTools();
  const rows = await parts.team.members.matrix(tools);
  const types = new Map(rows.map(({ tool, decisions }) => [tool, allowedTypes(decisions)]));
  const agents = parts.agents.list();
  return tools.map((tool) => ({
    ...toToolBody(tool),
    server: tool.server ?? null,
    isForMembers: tool.isForMembers,
    requiresApproval: tool.requiresApproval,
    agents: agents
      .filter(
        ({ id, tools: scope }) =>
          decide({ ...toCaller('web', owner), scope: { agentId: id, tools: scope } }, tool).allowed,
      )
      .map(({ id, name }) => ({ id, name })),
    memberTypes: types.get(tool.name) ?? [],
  }));
}

function allowedTypes(decisions: Record<string, { allowed: boolean }>): string[] {
  return Object.entries(decisions).flatMap(([type, { allowed }]) => (allowed ? [type] : []));
}

type Trial = z.output<(typeof toolsContract.operations)['POST /api/tools/{name}/call']['body']>;

async function tryTool(
  { execute, resolveCaller }: Calls,
  tool: string,
  { input, agentId, memberId }: Trial,
  signal: AbortSignal,
): Promise<ToolTrialBody> {
  const claim = memberId === undefined ? { from: owner, agent: agentId } : { member: memberId };
  const caller = await resolveCaller({ surface: 'web', ...claim });
  const startedAt = performance.now();
  const outcome = await execute({ caller, tool, input, signal });
  const durationMs = performance.now() - startedAt;
  const { callId } = outcome;
  if (!outcome.ok) {
    const { code, message, details } = outcome.error;
    const issues = details?.issues as { path: string; message: string }[] | undefined;
    return { ok: false, callId, durationMs, error: { code, message, ...(issues && { issues }) } };
  }
  const { content, structuredContent, isError } = asContent(outcome.data);
  return { ok: true, callId, durationMs, content: [...content], structuredContent: structuredContent ?? null, isError };
}

function toListedTool(tool: Tool) {
  return { ...toToolBody(tool), parameters: tool.inputSchema, builtin: tool.origin === 'built-in' };
}

function toToolBody(tool: Tool): ToolBody {
  const { name, title, description, origin, annotations, inputSchema, outputSchema } = tool;
  return { name, title, description, origin, annotations, inputSchema, outputSchema: outputSchema ?? null };
}
