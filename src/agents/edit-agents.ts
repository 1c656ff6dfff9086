import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { slugify } from '../base/ids.ts';
import { parseWith } from '../base/validate.ts';
import { type Agent, AgentInput, agentLimits } from './agent.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { AgentStore, CreateOptions, Past, StoredAgent } from './agent-store.ts';

/** How often another process may take the chosen id first before this one gives up. */
const maxLostRaces = 50;

/** The store that agents are saved in, and the registry of all ids in use. */
export interface EditingParts {
  agents: AgentRegistry;
  agentStore: AgentStore;
}

/** An agent that `AgentInput` has validated. */
export type CheckedAgent = z.output<typeof AgentInput>;

/** Creates an agent. Without an id, derives one from the name. Throws INVALID_ARGUMENTS, and CONFLICT if the id is in use or belongs to a deleted agent. */
export async function createAgent(parts: EditingParts, input: unknown): Promise<StoredAgent> {
  return createChecked(parts, parseWith(AgentInput, input, { what: 'Agent' }));
}

/** Like `createAgent`, for input that is already validated. `past` makes it an import. */
export async function createChecked(
  parts: EditingParts,
  { id, ...fields }: CheckedAgent,
  { past, replacesDeleted }: CreateOptions = {},
): Promise<StoredAgent> {
  if (id === undefined) return createWithFreeId(parts, fields, { base: slugify(fields.name) || 'agent', past });
  await parts.agents.refresh();
  refuseTakenId(parts.agents, id);
  return parts.agentStore.create({ ...fields, id, source: 'store' }, { past, replacesDeleted });
}

/** Creates an agent with the id `base`, or `base-2`, `base-3` and so on if another agent has it, even a deleted or concurrently created one. */
export async function createWithFreeId(
  parts: EditingParts,
  fields: Omit<Agent, 'id' | 'source'>,
  { base, past }: { base: string; past?: Past | undefined },
): Promise<StoredAgent> {
  for (let lost = 0; ; lost += 1) {
    const id = await freeId(parts, base);
    try {
      return await parts.agentStore.create({ ...fields, id, source: 'store' }, { past });
    } catch (error) {
      if (!isConflict(error) || lost >= maxLostRaces) throw error;
    }
  }
}

async function freeId({ agents, agentStore }: EditingParts, base: string): Promise<string> {
  await agents.refresh();
  const stem = base.slice(0, 58);
  const reserved = await agentStore.reservedIds(stem);
  for (let number = 1, id = base; ; number += 1, id = `${stem}-${number}`)
    if (!reserved.has(id) && !agents.find(id)) return id;
}

/** Replaces a stored agent. Throws INVALID_ARGUMENTS, AGENT_NOT_FOUND, PERMISSION_DENIED for agents from files, CONFLICT. */
export async function updateAgent(
  parts: EditingParts,
  id: string,
  { input, expectedRevision }: { input: unknown; expectedRevision: number | null },
): Promise<StoredAgent> {
  return updateChecked(parts, id, { input: parseWith(AgentInput, input, { what: 'Agent' }), expectedRevision });
}

/** Like `updateAgent`, for input that is already validated. */
export async function updateChecked(
  parts: EditingParts,
  id: string,
  change: { input: CheckedAgent; expectedRevision: number | null },
): Promise<StoredAgent> {
  const { id: newId, ...fields } = change.input;
  if (newId !== undefined && newId !== id) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `id: cannot change from "${id}" to "${newId}". Clone the agent to get another id.`,
    );
  }
  await requireStored(parts.agents, id);
  return parts.agentStore.update({ ...fields, id, source: 'store' }, change.expectedRevision);
}

/**
 * Changes some fields of a stored agent, and keeps the others even if somebody else saves them at the same time. A null revision
 * stands for the newest one. Throws like `updateAgent`.
 */
export async function changeAgent(
  parts: EditingParts,
  id: string,
  { changes, expectedRevision }: { changes: unknown; expectedRevision: number | null },
): Promise<StoredAgent> {
  const given = parseWith(z.record(z.string(), z.unknown()), changes, { what: 'Agent' });
  if (Object.keys(given).length === 0) {
    throw new HubError('INVALID_ARGUMENTS', 'Send at least one field to change, such as {"description": "…"}.');
  }
  for (let lost = 0; ; lost += 1) {
    await requireStored(parts.agents, id);
    const stored = await parts.agentStore.get(id);
    if (!stored) throw new HubError('AGENT_NOT_FOUND', `Agent with ID '${id}' not found. It was just deleted.`);
    const { source: _, ...fields } = stored.agent;
    const input = parseWith(AgentInput, { ...fields, ...given }, { what: 'Agent' });
    try {
      return await updateChecked(parts, id, { input, expectedRevision: expectedRevision ?? stored.revision });
    } catch (error) {
      if (!isConflict(error) || expectedRevision !== null || lost >= maxLostRaces) throw error;
    }
  }
}

export async function deleteAgent(parts: EditingParts, id: string, expectedRevision: number | null): Promise<void> {
  await requireStored(parts.agents, id);
  await parts.agentStore.delete(id, expectedRevision);
}

/** Restores a deleted agent. Throws NOT_FOUND, and CONFLICT if the id is in use again. */
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
  return parts.agentStore.update({ ...version.agent, id, source: 'store' }, choice.expectedRevision, {
    action: 'restore',
  });
}

/** Copies an agent of any source into the store, where it can be edited. */
export async function cloneAgent(
  parts: EditingParts,
  id: string,
  copyAs: { name?: string | undefined; id?: string | undefined } = {},
): Promise<StoredAgent> {
  const { id: originalId, source: _, ...fields } = (await parts.agents.get(id)).agent;
  const copy = parseWith(AgentInput, { ...fields, name: copyAs.name ?? copyName(fields.name) }, { what: 'Agent' });
  if (copyAs.id !== undefined) return createChecked(parts, { ...copy, id: copyAs.id });
  const base = copyAs.name ? slugify(copyAs.name) || 'agent' : `${originalId.slice(0, 58)}-copy`;
  return createWithFreeId(parts, copy, { base });
}

/** Shortens the name if it would be too long, without splitting a character. */
function copyName(name: string): string {
  const suffix = ' copy';
  return `${name.slice(0, agentLimits.name - suffix.length).replace(/[\ud800-\udbff]$/, '')}${suffix}`;
}

async function requireStored(agents: AgentRegistry, id: string): Promise<void> {
  const { agent, definedIn } = await agents.get(id);
  if (agent.source !== 'store') {
    throw new HubError(
      'PERMISSION_DENIED',
      `Agent '${id}' is defined in ${definedIn}; edit it there. Clone it to edit a copy here.`,
    );
  }
}

function refuseTakenId(agents: AgentRegistry, id: string): void {
  const taken = agents.findEntry(id);
  if (taken)
    throw new HubError('CONFLICT', `The id "${id}" is taken by an agent from ${taken.definedIn}. Choose another id.`, {
      details: { id, place: taken.definedIn },
    });
}

function isConflict(error: unknown): error is HubError {
  return error instanceof HubError && error.code === 'CONFLICT';
}
