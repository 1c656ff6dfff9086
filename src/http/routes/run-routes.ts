import { z } from 'zod';
import type { Hub } from '../../hub.ts';
import { defineRoute, type Route } from '../route.ts';
import { RunBody, RunListBody } from '../server-schemas.ts';
import type * as Api from '../server-types.ts';

const group = 'Runs';

export function runRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/runs',
      group,
      summary: 'List runs of agents',
      query: z.strictObject({
        agent: z.string().min(1).max(200).optional(),
        limit: z.coerce.number().int().min(1).max(200).default(50),
        cursor: z.string().max(200).optional(),
      }),
      answer: { status: 200, description: 'Newest first.', schema: RunListBody },
      errors: [400],
      handle: async ({ context, query }) => {
        const { agent, limit, cursor } = query;
        return context.json((await hub.store.runs.list({ agentId: agent, limit, cursor })) satisfies Api.RunListBody);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/runs/{id}',
      group,
      summary: 'Read a run',
      description: 'The conversation, and what a crash left open.',
      answer: { status: 200, description: 'The run.', schema: RunBody },
      errors: [404],
      handle: async ({ context, param }) => context.json((await hub.store.runs.get(param('id'))) satisfies Api.RunBody),
    }),
  ];
}
