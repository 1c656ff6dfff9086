import { implement, type Route } from '../http/route.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { clearWorkspace, setWorkspace } from './set-workspace.ts';
import { workspacesContract } from './workspaces.contract.ts';
import type { WorkspaceStore } from './workspaces.ts';

interface WorkspaceRouteParts {
  agents: AgentRegistry;
  store: { readonly workspaces: WorkspaceStore };
  /** The default agent of the config, if it names one. */
  configuredAgent(): Promise<string | undefined>;
}

export function workspaceRoutes(parts: WorkspaceRouteParts): Route[] {
  return implement(workspacesContract)({
    'GET /api/workspaces': async () => ({
      workspaces: await parts.store.workspaces.list(),
      configured: (await parts.configuredAgent()) ?? null,
    }),
    'PUT /api/workspaces': ({ body, act }) => {
      act.target = body.folder;
      return setWorkspace(parts, body);
    },
    'DELETE /api/workspaces': async ({ query, act }) => {
      act.target = query.folder;
      await clearWorkspace(parts, query.folder);
    },
  });
}
