import { z } from 'zod';
import { BrainEntry, BrainEntryChange, BrainEntryType, NewBrainEntry } from '../../agents/brain.ts';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { BrainBody, DeletedEntryBody } from '../api-schemas.ts';
import { type ApiRequest, defineRoute, type Route } from '../route.ts';

const group = 'Brain';
const entry = { status: 200, description: 'The entry.', schema: BrainEntry };
const Filter = z.strictObject({
  type: BrainEntryType.optional(),
  tags: z.string().max(4_000).optional().describe('Entries with any of these, separated by commas.'),
  pinned: z.enum(['true', 'false']).optional(),
  dateFrom: z.string().max(64).optional().describe('A date or a time, ISO 8601.'),
  dateTo: z.string().max(64).optional().describe('A date without a time means the whole day.'),
});
const PinBody = z.strictObject({ pinned: z.boolean().optional() });

/** Writes are calls of the brain tools, so that they are decided, checked and logged as everywhere. */
export function brainRoutes(hub: Hub): Route[] {
  async function call(tool: string, input: object, request: Pick<ApiRequest, 'signal'>): Promise<object> {
    const outcome = await hub.execute({ caller: { surface: 'web' }, tool, input, signal: request.signal });
    if (outcome.ok) return outcome.data;
    throw outcome.error;
  }
  async function find(agentId: string, entryId: string): Promise<BrainEntry> {
    const { agent } = await hub.agents.get(agentId);
    const found = await hub.brain.get(agent.id, entryId);
    if (found) return found;
    throw new HubError('NOT_FOUND', `The brain of agent '${agent.id}' has no entry '${entryId.slice(0, 80)}'.`);
  }
  const address = (request: Pick<ApiRequest, 'param'>) => ({
    agentId: request.param('id'),
    entryId: request.param('entryId'),
  });

  return [
    defineRoute({
      method: 'get',
      path: '/api/agents/{id}/brain',
      group,
      summary: "List an agent's brain entries",
      description: 'Newest first.',
      query: Filter,
      answer: { status: 200, description: 'The entries.', schema: BrainBody },
      errors: [400, 404],
      handle: async (request) => {
        const agentId = request.param('id');
        const body = await call('agent_zoo_query_brain_entries', { agentId, ...toQuery(request.query) }, request);
        return request.context.json(body);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/agents/{id}/brain',
      group,
      summary: 'Add a brain entry',
      body: { schema: NewBrainEntry, example: { type: 'decision', content: 'We use SQLite.', tags: ['storage'] } },
      answer: { ...entry, status: 201, description: 'The new entry.' },
      errors: [400, 404],
      handle: async (request) => {
        const input = { ...asObject(request.body), agentId: request.param('id') };
        return request.context.json(await call('agent_zoo_create_brain_entry', input, request), 201);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/agents/{id}/brain/{entryId}',
      group,
      summary: 'Read a brain entry',
      answer: entry,
      errors: [404],
      handle: async ({ context, param }) => context.json(await find(param('id'), param('entryId'))),
    }),
    defineRoute({
      method: 'put',
      path: '/api/agents/{id}/brain/{entryId}',
      group,
      summary: 'Change a brain entry',
      description: 'A field that is not given keeps its value; id, agentId and timestamp may stay in and are ignored.',
      body: { schema: BrainEntryChange, example: { content: 'We use SQLite, in WAL mode.' } },
      answer: entry,
      errors: [400, 404],
      handle: async (request) => {
        const { id: _, agentId: __, timestamp: ___, ...change } = asObject(request.body);
        const input = { ...change, ...address(request) };
        return request.context.json(await call('agent_zoo_update_brain_entry', input, request));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/agents/{id}/brain/{entryId}',
      group,
      summary: 'Delete a brain entry',
      answer: { status: 200, description: 'It is gone.', schema: DeletedEntryBody },
      errors: [404],
      handle: async (request) =>
        request.context.json(await call('agent_zoo_delete_brain_entry', address(request), request)),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/agents/{id}/brain/{entryId}/pin',
      group,
      summary: 'Pin or unpin a brain entry',
      description: 'Without a body the pin is toggled.',
      body: { schema: PinBody, isOptional: true, example: { pinned: true } },
      answer: entry,
      errors: [400, 404],
      handle: async (request) => {
        const { agentId, entryId } = address(request);
        const wanted = parseWith(PinBody, request.body ?? {}).pinned;
        const pinned = wanted ?? !(await find(agentId, entryId)).pinned;
        const input = { agentId, entryId, pinned };
        return request.context.json(await call('agent_zoo_update_brain_entry', input, request));
      },
    }),
  ];
}

function toQuery({ tags, pinned, ...rest }: z.output<typeof Filter>): object {
  return {
    ...rest,
    ...(tags && { tags: splitTags(tags) }),
    ...(pinned && { pinned: pinned === 'true' }),
  };
}

function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function asObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new HubError('INVALID_ARGUMENTS', 'The body must be a JSON object.');
}
