import { runsContract } from '../../engine/runs.contract.ts';
import type { Hub } from '../../hub.ts';
import { implement, type Route } from '../route.ts';

export function runRoutes({ store: { runs } }: Hub): Route[] {
  return implement(runsContract)({
    'GET /api/runs': ({ query: { agent, limit, cursor } }) => runs.list({ agentId: agent, limit, cursor }),
    'GET /api/runs/{id}': ({ params }) => runs.get(params.id),
  });
}
