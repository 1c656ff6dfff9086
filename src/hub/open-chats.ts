import type { AgentEntry } from '../agents/agent-source.ts';
import { findPassages } from '../agents/prime-prompt.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { ChatContext, Chats } from '../chats/chats.ts';
import { createChats } from '../chats/create-chats.ts';
import { asksFor } from '../engine/included-tools.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { LanguageModels } from '../models/language-models.ts';
import type { Store } from '../store/store.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { createDocumentReader } from './document-reader.ts';
import type { LazyServers } from './lazy-servers.ts';
import { agentContext, askRule, type ContextParts, chooseModel, type Sessions } from './sessions.ts';
import type { LiveConfig } from './settings/live-config.ts';

interface ChatParts extends ContextParts {
  live: Pick<LiveConfig, 'current'>;
  store: Pick<Store, 'chats'>;
  knowledge: Knowledge;
  servers: Pick<LazyServers, 'discover'>;
  sessions: Pick<Sessions, 'open'>;
  models: LanguageModels;
  redact: Redact;
  clock: Clock;
  logger: Logger;
}

/** Opens the chats with the hub's agents, models and tools. */
export function openChats(parts: ChatParts): Chats {
  const { agents, clock, live, logger, models, redact, sessions, store, tools } = parts;
  const documents = createDocumentReader(logger);
  const chats = createChats({
    store: store.chats,
    clock,
    logger,
    openFrom: redact.openFrom,
    agentOf: (agentId) => agents.get(agentId),
    toolsRevision: () => `${tools.revision} ${JSON.stringify(live.current.engine)}`,
    openSession: (request) => sessions.open(request),
    modelOf: async (name, entry) => (await chooseModel(models, entry, name ?? undefined)).model,
    readText: documents.read,
    contextOf: (entry, given) => contextOf(parts, entry, given),
  });
  return {
    ...chats,
    async close() {
      await chats.close();
      await documents.close();
    },
  };
}

async function contextOf(
  parts: ChatParts,
  entry: AgentEntry,
  argumentValues: Readonly<Record<string, string>>,
): Promise<ChatContext> {
  const { knowledge, servers } = parts;
  const { agent } = entry;
  await servers.discover();
  const { com, tools } = await agentContext(parts, entry, { arguments: argumentValues });
  const rule = askRule(agent, parts.live.current.engine);
  const { signal } = new AbortController();
  const primed =
    agent.knowledge.length === 0 ? [] : await findPassages(agent, { args: argumentValues, knowledge, signal });
  return {
    system: com.system,
    skills: agent.skills.filter(({ enabled }) => enabled).map(({ id, name }) => ({ id, name })),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      needsApproval: asksFor(rule, tool),
    })),
    passages: primed.flatMap(({ passages }) =>
      passages.map(({ id, title, source, source_id, passage, score }) => ({
        documentId: id,
        title,
        source,
        path: source_id,
        text: passage.text,
        score,
      })),
    ),
  };
}
