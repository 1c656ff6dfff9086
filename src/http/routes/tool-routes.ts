import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import type { Hub } from '../../hub.ts';
import { provenCaller } from '../../mcp-server/proven-caller.ts';
import { decide } from '../../tools/permissions.ts';
import type { Tool } from '../../tools/tool.ts';
import { ToolListBody, ToolResultBody } from '../api-schemas.ts';
import type * as Api from '../api-types.ts';
import { callerOfRequest } from '../member-of-request.ts';
import { defineRoute, type Route } from '../route.ts';
import { toToolResult } from '../tool-result.ts';

const group = 'Tools';
const Scope = z.strictObject({
  agent: z.string().min(1).max(200).optional().describe("Only the tools in this agent's scope."),
});

export function toolRoutes(hub: Hub): Route[] {
  return [
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

function toToolBody(tool: Tool): Api.ToolBody {
  const { name, title, description, origin, annotations, inputSchema, outputSchema } = tool;
  return { name, title, description, origin, annotations, inputSchema, outputSchema: outputSchema ?? null };
}
