import { HubError } from '../base/hub-error.ts';
import type { BrainStore } from '../brain/brain.ts';
import type { ResourceProvider } from '../resources/resource.ts';
import type { ResourceContents } from '../tools/content.ts';
import type { AgentRegistry } from './agent-registry.ts';

const root = 'agent-zoo://agents';
const mimeType = 'application/json';
const agentTemplate = `${root}/{id}`;
const brainTemplate = `${root}/{id}/brain`;
const entryTemplate = `${root}/{id}/brain/{entryId}`;
const contextTemplate = `${root}/{id}/context/{ref}`;

export const agentsUri = root;
export const agentUri = (id: string) => `${root}/${id}`;
export const brainUri = (id: string) => `${root}/${id}/brain`;

/** Agents and their brains as MCP resources. */
export function agentResources(agents: AgentRegistry, brain: BrainStore): ResourceProvider {
  return {
    async list() {
      await agents.refresh();
      const each = agents.list().map((agent) => ({
        uri: agentUri(agent.id),
        name: agent.id,
        title: agent.name,
        ...(agent.description && { description: agent.description }),
        mimeType,
      }));
      return [
        {
          uri: root,
          name: 'agents',
          title: 'All agents',
          description: 'All agents of this hub, with id and name.',
          mimeType,
        },
        ...each,
      ];
    },
    templates: () => [
      {
        uriTemplate: agentTemplate,
        name: 'agent',
        title: 'Agent',
        description: 'The configuration of one agent.',
        mimeType,
      },
      { uriTemplate: brainTemplate, name: 'brain', title: 'Brain', description: 'The memory of one agent.', mimeType },
      {
        uriTemplate: entryTemplate,
        name: 'brain-entry',
        title: 'Brain entry',
        description: "One entry of an agent's memory.",
        mimeType,
      },
      {
        uriTemplate: contextTemplate,
        name: 'context',
        title: 'Context',
        description: 'A file that an agent names as its context.',
      },
    ],
    async read(uri) {
      const named = /^agent-zoo:\/\/agents\/([^/?#]+)\/context\/([^/?#]+)$/.exec(uri);
      if (named) return readContext(agents, uri, { id: decode(named[1] ?? ''), ref: decode(named[2] ?? '') });
      const data = await readData(agents, brain, uri);
      return data === undefined ? undefined : asJson(uri, data);
    },
    async complete(uriTemplate, variable, typed) {
      if (variable !== 'id' || ![agentTemplate, brainTemplate, entryTemplate, contextTemplate].includes(uriTemplate))
        return [];
      await agents.refresh();
      return agents
        .list()
        .map((agent) => agent.id)
        .filter((id) => id.startsWith(typed));
    },
  };
}

/** Reads a file, or a page that the client cannot fetch itself. Only what the agent names can be read. */
async function readContext(
  agents: AgentRegistry,
  uri: string,
  { id, ref }: { id: string; ref: string },
): Promise<ResourceContents[]> {
  const { agent } = await agents.get(id);
  if (!agent.contextRefs.includes(ref))
    throw new HubError('NOT_FOUND', `Agent '${agent.id}' has no context reference "${ref.slice(0, 200)}".`);
  const delivered = await agents.context({ ...agent, contextRefs: [ref], contextBudget: Number.MAX_SAFE_INTEGER });
  const item = delivered?.items[0];
  const text = delivered?.texts.get(0);
  if (!item || text === undefined)
    throw new HubError('NOT_FOUND', `"${ref.slice(0, 200)}" cannot be read. ${item?.note ?? ''}`.trim());
  return [{ uri, mimeType: item.mimeType ?? 'text/plain', text }];
}

async function readData(agents: AgentRegistry, brain: BrainStore, uri: string): Promise<object | undefined> {
  if (uri === root) {
    await agents.refresh();
    return { agents: agents.list().map(({ id, name, description }) => ({ id, name, description })) };
  }
  const match = /^agent-zoo:\/\/agents\/([^/?#]+)(?:\/(brain)(?:\/([^/?#]+))?)?$/.exec(uri);
  if (!match?.[1]) return undefined;
  const { agent } = await agents.get(decode(match[1]));
  if (!match[2]) return agent;
  if (!match[3]) return { agentId: agent.id, entries: await brain.query(agent.id, {}) };
  const entryId = decode(match[3]);
  // PostgreSQL rejects NUL characters, even in queries.
  const entry = entryId.includes('\0') ? undefined : await brain.get(agent.id, entryId);
  if (!entry)
    throw new HubError('NOT_FOUND', `The brain of agent '${agent.id}' has no entry '${match[3].slice(0, 80)}'.`);
  return entry;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function asJson(uri: string, data: object): ResourceContents[] {
  return [{ uri, mimeType, text: JSON.stringify(data) }];
}
