import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { provenCaller } from '../../mcp-server/proven-caller.ts';
import { asContent } from '../../tools/content.ts';
import { decide } from '../../tools/permissions.ts';
import type { Tool } from '../../tools/tool.ts';
import { ToolListBody, ToolResultBody } from '../api-schemas.ts';
import type * as Api from '../api-types.ts';
import { callerOfRequest } from '../member-of-request.ts';
import { defineRoute, type Route } from '../route.ts';
import { ToolDetailListBody, ToolTrial, ToolTrialBody } from '../server-schemas.ts';
import type * as ServerApi from '../server-types.ts';
import { toToolResult } from '../tool-result.ts';

const group = 'Tools';
const Scope = z.strictObject({
  agent: z.string().min(1).max(200).optional().describe("Only the tools in this agent's scope."),
});

export function toolRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/tools',
      group,
      summary: 'List every tool, and who may call it',
      answer: {
        status: 200,
        description: 'Those of the team and of external servers too.',
        schema: ToolDetailListBody,
      },
      handle: async ({ context }) => {
        await hub.agents.refresh();
        return context.json({ tools: await describeTools(hub) } satisfies ServerApi.ToolDetailListBody);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/tools/{name}/call',
      hasOwnLimits: true,
      group,
      summary: 'Try a tool',
      description: 'Through the same pipeline as every call. A call that failed is an answer with "ok": false.',
      body: { schema: ToolTrial, isOptional: true, example: { input: {} } },
      answer: { status: 200, description: 'How the call ended.', schema: ToolTrialBody },
      errors: [400, 404],
      handle: async ({ context, param, body, signal }) =>
        context.json(await tryTool(hub, param('name'), parseWith(ToolTrial, body ?? {}), signal)),
    }),
    defineRoute({
      method: 'get',
      path: '/tools/list',
      group,
      summary: 'List tools',
      query: Scope,
      answer: { status: 200, description: 'The tools.', schema: ToolListBody },
      errors: [404],
      handle: async ({ context, query }) => {
        const caller = await callerOfRequest(hub, context.env.incoming, query.agent);
        const visible = hub.tools.list().filter((tool) => !tool.isHidden && decide(caller, tool).allowed);
        return context.json({ tools: visible.map(toToolBody) });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/tools/{name}',
      hasOwnLimits: true,
      group,
      summary: 'Call a tool',
      description: 'The body is the input of the tool; an empty one counts as {}.',
      query: Scope,
      body: { schema: z.record(z.string(), z.unknown()), isOptional: true, example: { agentId: 'code-wizard' } },
      answer: { status: 200, description: 'What the tool returned.', schema: ToolResultBody },
      errors: [400, 403, 404, 500, 503],
      handle: async ({ context, param, query, body, signal }) => {
        const { incoming } = context.env;
        const call = { tool: param('name'), input: body ?? {}, signal };
        const outcome = await callerOfRequest(hub, incoming, query.agent).then(
          (caller) => hub.execute({ ...call, caller }),
          async (error: unknown) => {
            if (!(error instanceof HubError)) throw error;
            return hub.refuse({ ...call, caller: await provenCaller(hub, 'http', incoming) }, error);
          },
        );
        if (!outcome.ok) throw outcome.error;
        return context.json(toToolResult(outcome.data));
      },
    }),
  ];
}

async function describeTools(hub: Hub): Promise<ServerApi.ToolDetailBody[]> {
  const tools = await hub.allTools();
  const rows = await hub.team.members.matrix(tools);
  const types = new Map(rows.map(({ tool, decisions }) => [tool, allowedTypes(decisions)]));
  const agents = hub.agents.list();
  return tools.map((tool) => ({
    ...toToolBody(tool),
    server: tool.server ?? null,
    isForMembers: tool.isForMembers,
    requiresApproval: tool.requiresApproval,
    agents: agents
      .filter(({ id, tools: scope }) => decide({ surface: 'web', scope: { agentId: id, tools: scope } }, tool).allowed)
      .map(({ id, name }) => ({ id, name })),
    memberTypes: types.get(tool.name) ?? [],
  }));
}

function allowedTypes(decisions: Record<string, { allowed: boolean }>): string[] {
  return Object.entries(decisions).flatMap(([type, { allowed }]) => (allowed ? [type] : []));
}

async function tryTool(
  hub: Hub,
  tool: string,
  { input, agentId, memberId }: z.output<typeof ToolTrial>,
  signal: AbortSignal,
): Promise<ServerApi.ToolTrialBody> {
  const caller =
    memberId === undefined ? await hub.callerFor('web', agentId) : await hub.callerForMember('web', memberId);
  const begun = performance.now();
  const outcome = await hub.execute({ caller, tool, input, signal });
  const durationMs = performance.now() - begun;
  const { callId } = outcome;
  if (!outcome.ok) {
    const { code, message, details } = outcome.error;
    const issues = details?.issues as { path: string; message: string }[] | undefined;
    return { ok: false, callId, durationMs, error: { code, message, ...(issues && { issues }) } };
  }
  const { content, structuredContent, isError } = asContent(outcome.data);
  return { ok: true, callId, durationMs, content: [...content], structuredContent: structuredContent ?? null, isError };
}

function toToolBody(tool: Tool): Api.ToolBody {
  const { name, title, description, origin, annotations, inputSchema, outputSchema } = tool;
  return { name, title, description, origin, annotations, inputSchema, outputSchema: outputSchema ?? null };
}
