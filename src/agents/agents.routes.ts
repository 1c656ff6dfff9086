import { toIso } from '../base/clock.ts';
import { withoutFields } from '../base/contract-fields.ts';
import { HubError } from '../base/hub-error.ts';
import type { SourceProblem } from '../base/source.ts';
import { type ActNote, type ApiContext, implement, type Route } from '../http/route.ts';
import type { Agent } from './agent.ts';
import type { AgentEntry } from './agent-source.ts';
import type { StoredAgent } from './agent-store.ts';
import { type AgentDetail, type AgentSummary, agentsContract } from './agents.contract.ts';
import { briefAgent } from './brief-agent.ts';
import { compilePrompt, enabledSkills } from './compile-prompt.ts';
import { contextContract } from './context.contract.ts';
import { contextSection } from './deliver-context.ts';
import {
  changeAgent,
  cloneAgent,
  createChecked,
  deleteAgent,
  type EditingParts,
  undeleteAgent,
  updateChecked,
} from './edit-agents.ts';
import { matchesEtag, namedRevision, readIfMatch, requireRevision, toEtag } from './preconditions.routes.ts';
import { readOnlyFields } from './transfer-agents.ts';

export function agentRoutes(parts: EditingParts & { problems(): SourceProblem[] }): Route[] {
  const { agents } = parts;
  return implement(agentsContract)({
    'GET /api/agents': async () => {
      await agents.refresh();
      return { agents: agents.entries().map(toSummary), problems: parts.problems() };
    },
    'POST /api/agents': async ({ context, body, sent, act }) =>
      created(context, act, await withSubmitted(withoutFields(sent, readOnlyFields), () => createChecked(parts, body))),
    'GET /api/agents/{id}': async ({ context, params }) => showDetail(context, await findDetail(parts, params.id)),
    'PUT /api/agents/{id}': async ({ context, params: { id }, body, sent, act }) => {
      const { agent, revision } = await agents.get(id);
      act.before = briefAgent(agent, revision);
      // An agent from a file is rejected anyway, so any revision will do.
      const expectedRevision = agent.source === 'store' ? requireRevision(context.req.header('if-match'), sent) : -1;
      const update = () => updateChecked(parts, id, { input: body, expectedRevision });
      return showStored(context, act, await withSubmitted(withoutFields(sent, readOnlyFields), update));
    },
    'PATCH /api/agents/{id}': async ({ context, params: { id }, sent, act }) => {
      const { agent, revision } = await agents.get(id);
      act.before = briefAgent(agent, revision);
      // The parsed body holds defaults for the fields that were not sent.
      const changes = withoutFields(sent, readOnlyFields);
      const expectedRevision = namedRevision(context.req.header('if-match'), sent) ?? null;
      const change = () => changeAgent(parts, id, { changes, expectedRevision });
      return showStored(context, act, await withSubmitted(changes, change));
    },
    'DELETE /api/agents/{id}': async ({ context, params: { id }, act }) => {
      const { agent, revision } = await agents.get(id);
      act.before = briefAgent(agent, revision);
      const expectedRevision = readIfMatch(context.req.header('if-match')) ?? null;
      await withSubmitted(undefined, () => deleteAgent(parts, id, expectedRevision));
      return { success: true, id };
    },
    'GET /api/deleted-agents': async () => {
      const deleted = await parts.agentStore.deleted();
      return { agents: deleted.map((agent) => ({ ...agent, deletedAt: toIso(agent.deletedAt) })) };
    },
    'POST /api/agents/{id}/undelete': async ({ context, params, act }) =>
      showStored(context, act, await withSubmitted(undefined, () => undeleteAgent(parts, params.id))),
    'POST /api/agents/{id}/clone': async ({ context, params, body, act }) =>
      created(context, act, await withSubmitted(body, () => cloneAgent(parts, params.id, body))),
    'GET /api/agents/{id}/compiled': async ({ params }) => {
      const { agent } = await agents.get(params.id);
      return { agentId: agent.id, ...compilePrompt(agent) };
    },
  });
}

export function contextRoutes({ agents }: Pick<EditingParts, 'agents'>): Route[] {
  return implement(contextContract)({
    'POST /api/agents/context': async ({ body, signal }) => {
      const delivered = await agents.context(body, signal);
      if (!delivered) return { items: [], text: '', used: 0 };
      const { items } = delivered;
      const embedded = items.filter(({ delivery }) => delivery === 'embedded');
      const used = embedded.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
      return { items, text: contextSection(delivered), used };
    },
  });
}

/** Reads a stored agent from the store, which also knows its creation time and newest revision. */
async function findDetail({ agents, agentStore }: EditingParts, id: string): Promise<AgentDetail> {
  const entry = await agents.get(id);
  const stored = entry.agent.source === 'store' ? await agentStore.get(id) : undefined;
  return stored ? storedDetail(stored) : entryDetail(entry);
}

function showDetail(context: ApiContext, body: AgentDetail): Response {
  context.header('cache-control', 'no-cache');
  if (body.revision === null) return context.json(body);
  const etag = toEtag(body.revision);
  context.header('etag', etag);
  if (matchesEtag(context.req.header('if-none-match'), etag)) return context.body(null, 304);
  return context.json(body);
}

export function showStored(context: ApiContext, act: ActNote, stored: StoredAgent, status: 200 | 201 = 200): Response {
  act.after = briefAgent(stored.agent, stored.revision);
  context.header('etag', toEtag(stored.revision));
  return context.json(storedDetail(stored), status);
}

function created(context: ApiContext, act: ActNote, stored: StoredAgent): Response {
  act.target = stored.agent.id;
  context.header('location', `/api/agents/${stored.agent.id}`);
  return showStored(context, act, stored, 201);
}

/** Adds the submitted agent to a conflict, so that the client can show both versions. */
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

function toSummary(entry: AgentEntry): AgentSummary {
  const { agent, definedIn } = entry;
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    mode: agent.mode,
    source: agent.source,
    place: definedIn,
    editable: isEditable(agent),
    version: agent.version,
    tags: agent.tags,
    skills: { total: agent.skills.length, enabled: enabledSkills(agent).length },
    categories: agent.skillCategories.map(({ name, color }) => ({ name, color })),
    appearanceSeed: agent.appearanceSeed,
    tools: agent.tools,
    argumentCount: agent.arguments.length,
    revision: entry.revision ?? null,
    updatedAt: isoOrNull(entry.updatedAt),
  };
}

function entryDetail(entry: AgentEntry): AgentDetail {
  return {
    ...entry.agent,
    place: entry.definedIn,
    editable: isEditable(entry.agent),
    revision: entry.revision ?? null,
    createdAt: null,
    updatedAt: isoOrNull(entry.updatedAt),
  };
}

function storedDetail(stored: StoredAgent): AgentDetail {
  return {
    ...stored.agent,
    place: 'the store',
    editable: true,
    revision: stored.revision,
    createdAt: toIso(stored.createdAt),
    updatedAt: toIso(stored.updatedAt),
  };
}

function isEditable(agent: Agent): boolean {
  return agent.source === 'store';
}

function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : toIso(at);
}
