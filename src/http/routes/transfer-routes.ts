import { z } from 'zod';
import { agentTemplates } from '../../agents/templates.ts';
import { AgentExport, exportAgents, importAgents, importLimits, OnTakenId } from '../../agents/transfer-agents.ts';
import { toIso } from '../../base/clock.ts';
import type { Hub } from '../../hub.ts';
import { ImportReport, TemplateListBody } from '../api-schemas.ts';
import type * as Api from '../api-types.ts';
import { defineRoute, type Route } from '../route.ts';

const group = 'Templates, export and import';

export function transferRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/templates',
      group,
      summary: 'List starter agents',
      answer: { status: 200, description: 'The templates.', schema: TemplateListBody },
      handle: ({ context }) => {
        const body: { templates: readonly Api.AgentTemplateBody[] } = { templates: agentTemplates };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/export',
      group,
      summary: 'Export agents as one JSON file',
      query: z.strictObject({
        ids: z.string().max(100_000).optional().describe('Separated by commas; all agents without it.'),
      }),
      answer: { status: 200, description: 'The file.', schema: AgentExport },
      errors: [404],
      handle: async ({ context, query }) => {
        const ids = query.ids?.split(',').map((id) => id.trim());
        const now = hub.clock.now();
        const name = ids?.length === 1 ? ids[0] : 'agents';
        const body = await exportAgents(hub, { ids, now });
        context.header(
          'content-disposition',
          `attachment; filename="agent-zoo-${name}-${toIso(now).slice(0, 10)}.json"`,
        );
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/import',
      hasOwnLimits: true,
      group,
      summary: 'Import agents',
      description: 'Takes an export, a list of agents, or one agent. Everything is checked before anything is written.',
      query: z.strictObject({
        onTakenId: OnTakenId.default('rename').describe('What to do with an agent whose id is in use.'),
      }),
      body: {
        schema: AgentExport,
        limits: importLimits,
        example: { format: 'agent-zoo/agents', version: 1, agents: [{ id: 'code-wizard', name: 'Code Wizard' }] },
      },
      answer: { status: 201, description: 'What became of each agent.', schema: ImportReport },
      errors: [400, 403],
      deniedCode: 'read_only',
      handle: async ({ context, query, body }) => context.json(await importAgents(hub, body, query.onTakenId), 201),
    }),
  ];
}
