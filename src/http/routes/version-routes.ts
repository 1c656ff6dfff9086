import { z } from 'zod';
import type { AgentVersion } from '../../agents/agent-store.ts';
import { restoreVersion } from '../../agents/edit-agents.ts';
import { toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Hub } from '../../hub.ts';
import { AgentDetail, AgentVersionBody, VersionListBody } from '../api-schemas.ts';
import type * as Api from '../api-types.ts';
import { requireRevision } from '../preconditions.ts';
import { defineRoute, type Route } from '../route.ts';
import { showStored, withSubmitted } from './agent-routes.ts';

const group = 'Versions';
/** The largest number the databases hold in a revision. */
const mostRevision = 2_147_483_647;
const Page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).optional().describe('At most so many.'),
  before: z.coerce.number().int().min(1).optional().describe('Only revisions older than this one.'),
});

export function versionRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/agents/{id}/versions',
      group,
      summary: 'List the versions of an agent',
      description: 'Newest first, also of deleted agents. Agents from files have none.',
      query: Page,
      answer: { status: 200, description: 'The versions.', schema: VersionListBody },
      errors: [400, 404],
      handle: async ({ context, param, query }) => {
        const id = param('id');
        const { limit, before } = query;
        const versions = await hub.agentStore.versions(id, {
          ...(limit !== undefined && { limit }),
          ...(before !== undefined && { before: Math.min(before, mostRevision) }),
        });
        if (versions.length === 0 && before === undefined) await hub.agents.get(id);
        return context.json({ versions: versions.map(toVersionSummary) });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/agents/{id}/versions/{revision}',
      group,
      summary: 'Read one version of an agent',
      answer: { status: 200, description: 'The agent as it was.', schema: AgentVersionBody },
      errors: [404],
      handle: async ({ context, param }) => {
        const id = param('id');
        const revision = readRevision(id, param('revision'));
        const version = await hub.agentStore.version(id, revision);
        if (!version) throw noVersion(id, param('revision'));
        const body: Api.AgentVersionBody = { ...toVersionSummary(version), agent: version.agent };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/agents/{id}/versions/{revision}/restore',
      group,
      summary: 'Make an earlier version the newest one',
      takesIfMatch: true,
      answer: { status: 200, description: 'The agent; its ETag is the revision.', schema: AgentDetail },
      errors: [403, 404, 409, 428],
      deniedCode: 'read_only',
      handle: async ({ context, param, body }) => {
        const id = param('id');
        const revision = readRevision(id, param('revision'));
        const { agent } = await hub.agents.get(id);
        const expectedRevision = agent.source === 'store' ? requireRevision(context.req.header('if-match'), body) : -1;
        const wanted = (await hub.agentStore.version(id, revision))?.agent;
        return showStored(
          context,
          await withSubmitted(wanted, () => restoreVersion(hub, id, { revision, expectedRevision })),
        );
      },
    }),
  ];
}

function toVersionSummary({ revision, action, at, agent }: AgentVersion): Api.AgentVersionSummary {
  return { revision, action, at: toIso(at), name: agent.name };
}

function readRevision(id: string, text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= mostRevision) return Number(text);
  throw noVersion(id, text);
}

function noVersion(id: string, revision: string): HubError {
  return new HubError('NOT_FOUND', `Agent '${id.slice(0, 80)}' has no version ${revision.slice(0, 20)}.`);
}
