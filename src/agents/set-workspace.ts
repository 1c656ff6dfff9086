import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { realPath } from '../base/real-path.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { Workspace, WorkspaceStore } from './workspaces.ts';

interface WorkspaceParts {
  agents: AgentRegistry;
  store: { readonly workspaces: WorkspaceStore };
}

/** Remembers the default agent of a folder. Throws AGENT_NOT_FOUND, and INVALID_ARGUMENTS if there is no such folder. */
export async function setWorkspace({ agents, store }: WorkspaceParts, given: Workspace): Promise<Workspace> {
  const { agent } = await agents.get(given.agentId);
  if (!isAbsolute(given.folder))
    throw new HubError('INVALID_ARGUMENTS', `folder: "${given.folder.slice(0, 200)}" must be an absolute path.`);
  const folder = realPath(given.folder);
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory())
    throw new HubError('INVALID_ARGUMENTS', `folder: there is no folder "${given.folder.slice(0, 200)}".`);
  const workspace = { folder, agentId: agent.id };
  await store.workspaces.set(workspace);
  return workspace;
}

/** Throws NOT_FOUND. */
export async function clearWorkspace({ store }: Pick<WorkspaceParts, 'store'>, folder: string): Promise<void> {
  if (await store.workspaces.remove(isAbsolute(folder) ? realPath(folder) : folder)) return;
  throw new HubError('NOT_FOUND', `The folder "${folder.slice(0, 200)}" has no default agent.`);
}
