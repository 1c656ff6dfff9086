import type { AgentRegistry } from '../agents/agent-registry.ts';
import { withoutFields } from '../base/contract-fields.ts';
import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { parseWith } from '../base/validate.ts';
import { implement, type Route } from '../http/route.ts';
import type { UserCalls } from '../hub/user-calls.ts';
import { brainContract, identifyingFields } from './brain.contract.ts';
import { type BrainEntry, BrainQuery, type BrainStore } from './brain.ts';

interface BrainParts extends UserCalls {
  agents: AgentRegistry;
  brain: BrainStore;
}

export function brainRoutes({ agents, brain, callAsUser }: BrainParts): Route[] {
  /** Calls a tool. `T` is the type of its output schema. */
  function call<T extends object>(tool: string, input: object, signal: AbortSignal): Promise<T> {
    return callAsUser<T>({ surface: 'web', tool, input, signal });
  }
  async function find(agentId: string, entryId: string): Promise<BrainEntry> {
    const { agent } = await agents.get(agentId);
    const found = await brain.get(agent.id, entryId);
    if (found) return found;
    throw new HubError('NOT_FOUND', `The brain of agent '${agent.id}' has no entry '${entryId.slice(0, 80)}'.`);
  }

  return implement(brainContract)({
    // Reads the store itself: the log records what agents recall, not what you look at.
    'GET /api/agents/{id}/brain': async ({ params, query: { tags, pinned, ...rest } }) => {
      const query = parseWith(BrainQuery, {
        ...rest,
        ...(tags && { tags: splitTags(tags) }),
        ...(pinned && { pinned: pinned === 'true' }),
      });
      const { agent } = await agents.get(params.id);
      return { agentId: params.id, entries: await brain.query(agent.id, query) };
    },
    'POST /api/agents/{id}/brain': ({ params, body, signal }) =>
      call('agent_zoo_create_brain_entry', { ...asObject(body), agentId: params.id }, signal),
    'GET /api/agents/{id}/brain/{entryId}': ({ params }) => find(params.id, params.entryId),
    'PUT /api/agents/{id}/brain/{entryId}': ({ params: { id, entryId }, body, signal }) =>
      call(
        'agent_zoo_update_brain_entry',
        { ...asObject(withoutFields(body, identifyingFields)), agentId: id, entryId },
        signal,
      ),
    'DELETE /api/agents/{id}/brain/{entryId}': ({ params: { id, entryId }, signal }) =>
      call('agent_zoo_delete_brain_entry', { agentId: id, entryId }, signal),
    'PATCH /api/agents/{id}/brain/{entryId}/pin': async ({ params: { id, entryId }, body, signal }) => {
      const pinned = body.pinned ?? !(await find(id, entryId)).pinned;
      return call('agent_zoo_update_brain_entry', { agentId: id, entryId, pinned }, signal);
    },
  });
}

function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function asObject(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return { ...body };
  throw new HubError('INVALID_ARGUMENTS', 'The body must be a JSON object.');
}
