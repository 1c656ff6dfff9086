import { HubError } from '../base/hub-error.ts';
import { implement, type Route } from '../http/route.ts';
import type { GrantStore } from './agent-grants.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { grantsContract } from './agents.contract.ts';

interface GrantParts {
  agents: AgentRegistry;
  store: { readonly grants: GrantStore };
}

export function grantRoutes({ agents, store }: GrantParts): Route[] {
  return implement(grantsContract)({
    'GET /api/agents/{id}/approvals': async ({ params: { id } }) => {
      const { agent } = await agents.get(id);
      return { approvals: await store.grants.list(agent.id) };
    },
    'DELETE /api/agents/{id}/approvals/{tool}': async ({ params: { id, tool } }) => {
      if (await store.grants.remove(id, tool)) return;
      const message = `Agent '${id.slice(0, 80)}' has no lasting approval for "${tool.slice(0, 80)}".`;
      throw new HubError('NOT_FOUND', message);
    },
  });
}
