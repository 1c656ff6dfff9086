import { z } from 'zod';
import { Agent, AgentInput } from '../../agents/agent.ts';
import type { StoredAgent } from '../../agents/agent-store.ts';
import { compilePrompt } from '../../agents/compile-prompt.ts';
import { cloneAgent, createAgent, deleteAgent, undeleteAgent, updateAgent } from '../../agents/edit-agents.ts';
import { withoutReadOnly } from '../../agents/transfer-agents.ts';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { entryDetail, storedDetail, toSummary } from '../agent-bodies.ts';
import { AgentDetail, AgentListBody, CompiledBody, DeletedBody } from '../api-schemas.ts';
import type * as Api from '../api-types.ts';
import { matchesEtag, readIfMatch, requireRevision, toEtag } from '../preconditions.ts';
import { type ApiContext, defineRoute, type Route } from '../route.ts';

const group = 'Agents';
const detail = { status: 200, description: 'The agent; its ETag is the revision.', schema: AgentDetail };
const CloneWish = z.strictObject({ name: Agent.shape.name.optional(), id: Agent.shape.id.optional() });

export function agentRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/agents',
      group,
      summary: 'List agents',
      description: 'Every agent of every source, and the problems its sources have.',
      answer: { status: 200, description: 'The agents.', schema: AgentListBody },
      handle: async ({ context }) => {
        await hub.agents.refresh();
        const body: Api.AgentListBody = {
          agents: hub.agents.entries().map(toSummary),
          problems: hub.problems(),
        };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/agents',
      group,
      summary: 'Create an agent',
      description: 'Without an id one is made from the name.',
      body: { schema: AgentInput, example: { name: 'Code Wizard', systemPrompt: 'You write small functions.' } },
      answer: { ...detail, status: 201, description: 'The new agent.' },
      errors: [400, 409],
      handle: async ({ context, body }) => {
        const input = withoutReadOnly(body);
        return created(context, await withSubmitted(input, () => createAgent(hub, input)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/agents/{id}',
      group,
      summary: 'Read an agent',
      answer: detail,
      errors: [404],
      handle: async ({ context, param }) => showDetail(context, await findDetail(hub, param('id'))),
    }),
    defineRoute({
      method: 'put',
      path: '/api/agents/{id}',
      group,
      summary: 'Replace an agent',
      description:
        'Takes the whole agent; what the API adds when it shows one (source, place, editable, revision, times) may stay in and is ignored. If-Match, or `revision` in the body, names the version you changed: when it is no longer the newest, the answer is 409 with the newest one beside yours.',
      body: { schema: AgentInput, example: { name: 'Code Wizard', systemPrompt: 'You write tiny functions.' } },
      takesIfMatch: true,
      answer: detail,
      errors: [400, 403, 404, 409, 428],
      deniedCode: 'read_only',
      handle: async ({ context, param, body }) => {
        const id = param('id');
        const { agent } = await hub.agents.get(id);
        // An agent from a file is refused whatever it is compared with; -1 is nobody's revision.
        const expectedRevision = agent.source === 'store' ? requireRevision(context.req.header('if-match'), body) : -1;
        const input = withoutReadOnly(body);
        const stored = await withSubmitted(input, () => updateAgent(hub, id, { input, expectedRevision }));
        return showStored(context, stored);
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/agents/{id}',
      group,
      summary: 'Delete an agent',
      description: 'Its history and brain stay for undelete.',
      takesIfMatch: true,
      answer: { status: 200, description: 'It is gone.', schema: DeletedBody },
      errors: [403, 404, 409],
      deniedCode: 'read_only',
      handle: async ({ context, param }) => {
        const id = param('id');
        const expectedRevision = readIfMatch(context.req.header('if-match')) ?? null;
        await withSubmitted(undefined, () => deleteAgent(hub, id, expectedRevision));
        return context.json({ success: true, id });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/agents/{id}/undelete',
      group,
      summary: 'Bring back a deleted agent',
      answer: detail,
      errors: [404, 409],
      handle: async ({ context, param }) =>
        showStored(context, await withSubmitted(undefined, () => undeleteAgent(hub, param('id')))),
    }),
    defineRoute({
      method: 'post',
      path: '/api/agents/{id}/clone',
      group,
      summary: 'Copy an agent into the store',
      description: 'Works for agents of every source; the copy can be edited.',
      body: { schema: CloneWish, isOptional: true, example: { name: 'Code Wizard two' } },
      answer: { ...detail, status: 201, description: 'The copy.' },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const wish = parseWith(CloneWish, body ?? {});
        return created(context, await withSubmitted(wish, () => cloneAgent(hub, param('id'), wish)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/agents/{id}/compiled',
      hasOwnLimits: true,
      group,
      summary: 'Read the compiled prompt',
      description: 'What an MCP client gets from agent_zoo_inject, with its sections.',
      answer: { status: 200, description: 'The prompt.', schema: CompiledBody },
      errors: [404],
      handle: async ({ context, param }) => {
        const { agent } = await hub.agents.get(param('id'));
        const body: Api.CompiledBody = { agentId: agent.id, ...compilePrompt(agent) };
        return context.json(body);
      },
    }),
  ];
}

/** The store knows more of its agents (creation, newest revision) than the registry does. */
async function findDetail(hub: Hub, id: string): Promise<Api.AgentDetail> {
  const entry = await hub.agents.get(id);
  const stored = entry.agent.source === 'store' ? await hub.agentStore.get(id) : undefined;
  return stored ? storedDetail(stored) : entryDetail(entry);
}

function showDetail(context: ApiContext, body: Api.AgentDetail): Response {
  context.header('cache-control', 'no-cache');
  if (body.revision === null) return context.json(body);
  const etag = toEtag(body.revision);
  context.header('etag', etag);
  if (matchesEtag(context.req.header('if-none-match'), etag)) return context.body(null, 304);
  return context.json(body);
}

export function showStored(context: ApiContext, stored: StoredAgent, status: 200 | 201 = 200): Response {
  context.header('etag', toEtag(stored.revision));
  return context.json(storedDetail(stored), status);
}

function created(context: ApiContext, stored: StoredAgent): Response {
  context.header('location', `/api/agents/${stored.agent.id}`);
  return showStored(context, stored, 201);
}

/** The second writer gets the version that won beside its own. */
export async function withSubmitted<T>(submitted: unknown, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'CONFLICT' || !error.details?.current) throw error;
    throw new HubError('CONFLICT', error.message, {
      // The store's port promises a StoredAgent here.
      details: {
        current: storedDetail(error.details.current as StoredAgent),
        ...(submitted !== undefined && { submitted }),
      },
    });
  }
}
