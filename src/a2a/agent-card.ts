import { createHash } from 'node:crypto';
import type { AgentCapabilities, AgentInterface, AgentSkill } from '@a2a-js/sdk';
import { type Agent, type Skill, speaksA2a } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { enabledSkills } from '../agents/compile-prompt.ts';
import { HubError } from '../base/hub-error.ts';

/**
 * One document for callers of both protocol versions: 1.0 reads `supportedInterfaces`; 0.3 reads `url`, `preferredTransport` and
 * `protocolVersion`. Each ignores what it does not know. The caller's version is not known before it has the card.
 */
export interface AgentCardDocument {
  name: string;
  description: string;
  version: string;
  supportedInterfaces: AgentInterface[];
  capabilities: AgentCapabilities;
  defaultInputModes: string[];
  defaultOutputModes: string[];
  skills: CardSkill[];
  securitySchemes: Record<string, KeyScheme>;
  securityRequirements: { schemes: Record<string, { list: string[] }> }[];
  /** The same for callers of 0.3. */
  security: Record<string, string[]>[];
  signatures: never[];
  protocolVersion: '0.3.0';
  url: string;
  preferredTransport: 'JSONRPC';
  supportsAuthenticatedExtendedCard: false;
  provider?: { organization: string; url: string };
  iconUrl?: string;
  documentationUrl?: string;
}

/** 1.0 reads `httpAuthSecurityScheme`, and 0.3 the other fields. */
interface KeyScheme {
  httpAuthSecurityScheme: { scheme: string; description: string };
  type: 'http';
  scheme: string;
  description: string;
}

/** Input and output modes are declared on the card, for all skills. */
type CardSkill = Pick<AgentSkill, 'id' | 'name' | 'description' | 'tags' | 'examples'>;

/** `name` to `agentCard`, and `count`, are what TsAgent's server lists. */
export interface RegistryDocument {
  agents: {
    id: string;
    cardUrl: string;
    card: AgentCardDocument;
    name: string;
    description: string;
    path: string;
    url: string;
    agentCard: string;
  }[];
  count: number;
}

/** Returns the URL for messages to the agent; `origin` is the hub's origin, such as `http://127.0.0.1:7331`. */
function rpcUrl(origin: string, agentId: string): string {
  return `${origin}/agents/${agentId}/a2a`;
}

function cardUrl(origin: string, agentId: string): string {
  return `${origin}/agents/${agentId}/.well-known/agent-card.json`;
}

/** With `needsKey`, the card says that callers must send a key. */
export function agentCard(agent: Agent, origin: string, { needsKey = false } = {}): AgentCardDocument {
  const url = rpcUrl(origin, agent.id);
  const toInterface = (protocolVersion: string) => ({ url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion });
  return {
    name: agent.name,
    description: agent.description || agent.name,
    version: agent.version,
    // The preferred version comes first.
    supportedInterfaces: [toInterface('1.0'), toInterface('0.3')],
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: skillsOf(agent),
    securitySchemes: needsKey ? { key: keyScheme } : {},
    securityRequirements: needsKey ? [{ schemes: { key: { list: [] } } }] : [],
    security: needsKey ? [{ key: [] }] : [],
    signatures: [],
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    supportsAuthenticatedExtendedCard: false,
    ...(agent.provider && { provider: agent.provider }),
    ...(agent.iconUrl && { iconUrl: agent.iconUrl }),
    ...(agent.documentationUrl && { documentationUrl: agent.documentationUrl }),
  };
}

const description = 'A key of this hub. Its user makes one with "zoo key create" or on the Access page.';
const keyScheme: KeyScheme = {
  httpAuthSecurityScheme: { scheme: 'Bearer', description },
  type: 'http',
  scheme: 'bearer',
  description,
};

export function agentRegistry(
  agents: readonly Agent[],
  origin: string,
  options?: { needsKey: boolean },
): RegistryDocument {
  const peers = agents.filter(speaksA2a);
  return {
    agents: peers.map((agent) => ({
      id: agent.id,
      cardUrl: cardUrl(origin, agent.id),
      card: agentCard(agent, origin, options),
      name: agent.name,
      description: agent.description,
      path: `/agents/${agent.id}`,
      url: `${origin}/agents/${agent.id}`,
      agentCard: cardUrl(origin, agent.id),
    })),
    count: peers.length,
  };
}

/** Returns an ETag that depends on the whole text. */
export function documentEtag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/** Returns the current agent. Throws AGENT_NOT_FOUND, and NOT_FOUND for an agent that is not autonomous. */
export async function autonomousAgent(agents: Pick<AgentRegistry, 'get'>, id: string): Promise<Agent> {
  const { agent } = await agents.get(id);
  if (speaksA2a(agent)) return agent;
  throw new HubError(
    'NOT_FOUND',
    `Agent "${agent.id}" is in ${agent.mode} mode, but only autonomous agents support A2A. Set its mode to "autonomous".`,
  );
}

/** Clones of agent files that were made before agents had rules and references keep them as skills. They are not abilities. */
const notAbilities = new Set(['rules', 'references']);

function skillsOf(agent: Agent): CardSkill[] {
  const skills = enabledSkills(agent).filter(({ categoryId }) => !notAbilities.has(categoryId ?? ''));
  if (skills.length > 0) return skills.map((skill) => cardSkill(skill, agent));
  const { id, name, description } = agent;
  return [{ id, name, description: description || name, tags: [id], examples: [] }];
}

const maxCharacters = 1_000;

/** Takes the description from the first paragraph, and the tags and examples from theirs. The other paragraphs are for the agent itself. */
function cardSkill({ id, name, description, categoryId }: Skill, agent: Agent): CardSkill {
  const paragraphs = description.split(/\n\s*\n/).map((each) => each.trim());
  const find = (title: string) => paragraphs.find((each) => each.startsWith(`${title}:`))?.slice(title.length + 1);
  const category = agent.skillCategories.find((each) => each.id === categoryId)?.name ?? agent.id;
  const tags = (find('Tags') ?? category).split(',').map((each) => each.trim());
  const examples = (find('Examples') ?? '').split('\n').map((each) => each.replace(/^\s*-\s*/, '').trim());
  const first = paragraphs.find((each) => each !== '' && !/^(?:Tags|Examples):/.test(each)) ?? name;
  return {
    id,
    name,
    description: shorten(first),
    tags: [...new Set(tags.filter((each) => each !== ''))],
    examples: examples.filter((each) => each !== '').slice(0, 20),
  };
}

function shorten(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}
