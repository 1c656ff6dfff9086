import type { RunStore } from '../../engine/run-store.ts';
import { runsContract } from '../../engine/runs.contract.ts';
import { implement, type Route } from '../route.ts';

export function runRoutes(runs: RunStore): Route[] {
  return implement(runsContract)({
    'GET /api/runs': ({ query: { agent, limit, cursor } }) => runs.list({ agentId: agent, limit, cursor }),
    'GET /api/runs/{id}': ({ params }) => runs.get(params.id),
  });
}
