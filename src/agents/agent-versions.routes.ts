import { toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { implement, type Route } from '../http/route.ts';
import type { ListedVersion } from './agent-store.ts';
import { type AgentVersionSummary, versionsContract } from './agents.contract.ts';
import { showStored, withSubmitted } from './agents.routes.ts';
import { briefAgent } from './brief-agent.ts';
import { type EditingParts, restoreVersion } from './edit-agents.ts';
import { requireRevision } from './preconditions.routes.ts';

/** The largest revision that both databases can store. */
const maxRevision = 2_147_483_647;

export function versionRoutes(parts: EditingParts): Route[] {
  const { agents, agentStore } = parts;
  return implement(versionsContract)({
    'GET /api/agents/{id}/versions': async ({ params: { id }, query: { limit, before } }) => {
      const versions = await agentStore.history(id, {
        ...(limit !== undefined && { limit }),
        ...(before !== undefined && { before: Math.min(before, maxRevision) }),
      });
      if (versions.length === 0 && before === undefined) await agents.get(id);
      return { versions: versions.map(toVersionSummary) };
    },
    'GET /api/agents/{id}/versions/{revision}': async ({ params: { id, revision } }) => {
      const version = await agentStore.version(id, readRevision(id, revision));
      if (!version) throw noVersion(id, revision);
      return { ...toVersionSummary({ ...version, name: version.agent.name }), agent: version.agent };
    },
    'POST /api/agents/{id}/versions/{revision}/restore': async ({ context, params, sent, act }) => {
      const { id } = params;
      const revision = readRevision(id, params.revision);
      const { agent, revision: before } = await agents.get(id);
      act.before = briefAgent(agent, before);
      const expectedRevision = agent.source === 'store' ? requireRevision(context.req.header('if-match'), sent) : -1;
      const submitted = (await agentStore.version(id, revision))?.agent;
      const restore = () => restoreVersion(parts, id, { revision, expectedRevision });
      return showStored(context, act, await withSubmitted(submitted, restore));
    },
  });
}

function toVersionSummary({ revision, action, at, name }: ListedVersion): AgentVersionSummary {
  return { revision, action, at: toIso(at), name };
}

function readRevision(id: string, text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= maxRevision) return Number(text);
  throw noVersion(id, text);
}

function noVersion(id: string, revision: string): HubError {
  return new HubError('NOT_FOUND', `Agent '${id.slice(0, 80)}' has no version ${revision.slice(0, 20)}.`);
}
