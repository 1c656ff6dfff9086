import type { RunStore } from '../engine/run-store.ts';
import { implement, type Route } from '../http/route.ts';
import { runsContract } from './runs.contract.ts';

export function runRoutes(runs: RunStore): Route[] {
  return implement(runsContract)({
    'GET /api/runs': ({ query: { agent, limit, cursor } }) => runs.list({ agentId: agent, limit, cursor }),
    'GET /api/runs/{id}': ({ params }) => runs.get(params.id),
  });
}
