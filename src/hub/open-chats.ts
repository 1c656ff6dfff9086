import type { AgentEntry } from '../agents/agent-source.ts';
import { findPassages } from '../agents/prime-prompt.ts';
import type { ChatContext, Chats } from '../chats/chats.ts';
import { createChats } from '../chats/create-chats.ts';
import { asksFor } from '../engine/included-tools.ts';
import type { Hub } from '../hub.ts';
import { agentContext } from './sessions.ts';

/** Chats over the hub's agents, models and tools. */
export function openChats(hub: Hub): Chats {
  const { store, clock, logger, agents, tools } = hub;
  return createChats({
    store: store.chats,
    clock,
    logger,
    openFrom: hub.redact.openFrom,
    agentOf: (agentId) => agents.get(agentId),
    toolsRevision: () => tools.revision,
    async openSession({ chatId, ...request }) {
      const { sessions } = hub;
      return sessions.open({ ...request, kind: 'interactive', contextId: chatId });
    },
    async checkModel(name) {
      await hub.models.resolve(name);
    },
    contextOf: (entry, given) => contextOf(hub, entry, given),
  });
}

async function contextOf(hub: Hub, entry: AgentEntry, given: Readonly<Record<string, string>>): Promise<ChatContext> {
  const { agent } = entry;
  await hub.servers.discover();
  const { com, tools } = await agentContext(hub, entry, { arguments: given });
  const { signal } = new AbortController();
  const primed =
    agent.knowledge.length === 0 ? [] : await findPassages(agent, { args: given, knowledge: hub.knowledge, signal });
  return {
    system: com.system,
    skills: agent.skills.filter(({ enabled }) => enabled).map(({ id, name }) => ({ id, name })),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      needsApproval: asksFor(agent.toolPermission, tool),
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
