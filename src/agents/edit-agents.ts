import { HubError } from '../base/hub-error.ts';
import { slugify } from '../base/ids.ts';
import { parseWith } from '../base/validate.ts';
import { AgentInput } from './agent.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { AgentStore, StoredAgent } from './agent-store.ts';

/** What editing needs: the store that keeps agents, and the registry that knows every id in use. */
export interface EditingParts {
  agents: AgentRegistry;
  agentStore: AgentStore;
}

/** Throws INVALID_ARGUMENTS, CONFLICT when the given id is in use. Without an id one is made from the name. */
export async function createAgent(parts: EditingParts, input: unknown): Promise<StoredAgent> {
  const { id, ...fields } = parseWith(AgentInput, input, { what: 'Agent' });
  await parts.agents.refresh();
  if (id !== undefined) refuseTakenId(parts.agents, id);
  const chosen = id ?? freeId(parts.agents, slugify(fields.name) || 'agent');
  return parts.agentStore.create({ ...fields, id: chosen, source: 'store' });
}

/** Replaces a stored agent. Throws INVALID_ARGUMENTS, AGENT_NOT_FOUND, PERMISSION_DENIED for agents from files, CONFLICT. */
export async function updateAgent(
  parts: EditingParts,
  id: string,
  change: { input: unknown; expectedRevision: number | null },
): Promise<StoredAgent> {
  const { id: named, ...fields } = parseWith(AgentInput, change.input, { what: 'Agent' });
  if (named !== undefined && named !== id) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `id: an agent keeps its id; "${id}" cannot become "${named}". Clone it to get another id.`,
    );
  }
  await requireStored(parts.agents, id);
  return parts.agentStore.update({ ...fields, id, source: 'store' }, change.expectedRevision);
}

export async function deleteAgent(parts: EditingParts, id: string, expectedRevision: number | null): Promise<void> {
  await requireStored(parts.agents, id);
  await parts.agentStore.delete(id, expectedRevision);
}

/** Brings back what `deleteAgent` took. Throws NOT_FOUND, CONFLICT when the id is in use again. */
export async function undeleteAgent(parts: EditingParts, id: string): Promise<StoredAgent> {
  await parts.agents.refresh();
  refuseTakenId(parts.agents, id);
  return parts.agentStore.undelete(id);
}

/** Makes an earlier version the newest one. Throws NOT_FOUND, CONFLICT. */
export async function restoreVersion(
  parts: EditingParts,
  id: string,
  choice: { revision: number; expectedRevision: number | null },
): Promise<StoredAgent> {
  await requireStored(parts.agents, id);
  const version = await parts.agentStore.version(id, choice.revision);
  if (!version) throw new HubError('NOT_FOUND', `Agent '${id}' has no version ${choice.revision}.`);
  return parts.agentStore.update({ ...version.agent, id, source: 'store' }, choice.expectedRevision, 'restore');
}

/** Copies an agent of any source into the store, where it can be edited. */
export async function cloneAgent(
  parts: EditingParts,
  id: string,
  wish: { name?: string | undefined; id?: string | undefined } = {},
): Promise<StoredAgent> {
  const { agent } = await parts.agents.get(id);
  const name = wish.name ?? `${agent.name} copy`.slice(0, 120);
  const chosen =
    wish.id ?? freeId(parts.agents, wish.name ? slugify(wish.name) || 'agent' : `${agent.id.slice(0, 58)}-copy`);
  const { source: _, ...fields } = agent;
  return createAgent(parts, { ...fields, name, id: chosen });
}

async function requireStored(agents: AgentRegistry, id: string): Promise<void> {
  const { agent, place } = await agents.get(id);
  if (agent.source !== 'store') {
    throw new HubError(
      'PERMISSION_DENIED',
      `Agent '${id}' is defined in ${place} and is edited there. Clone it to edit a copy here.`,
    );
  }
}

function refuseTakenId(agents: AgentRegistry, id: string): void {
  const taken = agents.findEntry(id);
  if (taken)
    throw new HubError('CONFLICT', `The id "${id}" is taken by an agent from ${taken.place}. Choose another id.`, {
      details: { id, place: taken.place },
    });
}

/** `base`, or `base-2`, `base-3`, … */
export function freeId(agents: { find(id: string): unknown }, base: string): string {
  if (!agents.find(base)) return base;
  for (let number = 2; ; number += 1) {
    const id = `${base.slice(0, 58)}-${number}`;
    if (!agents.find(id)) return id;
  }
}
