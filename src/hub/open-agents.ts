import { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentEntry } from '../agents/agent-source.ts';
import type { ContextReader } from '../agents/deliver-context.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import { agentFiles } from '../config/agents/agent-files.ts';
import { codeAgentSource } from '../config/agents/code-agents.ts';
import { tomlAgentSource } from '../config/agents/toml-agents.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import { type NamedFile, type scriptSections, withFiles } from '../config/script-sections.ts';
import { serverSections } from '../config/server-sections.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ScriptParts } from '../lua/host/script-host.ts';
import { luaAgentSource } from '../lua/lua-agents.ts';
import type { Store } from '../store/store.ts';

interface OpenAgentsOptions {
  document: ConfigDocument;
  sections: ReturnType<typeof scriptSections>;
  scripts: ScriptParts;
  store: Pick<Store, 'agents'>;
  knowledge: Knowledge;
  logger: Logger;
  /** Registers secrets that must never be written. */
  learn(secrets: readonly string[]): void;
  /** Agents defined in code, and agent files in addition to those in the config. */
  additional: { agents?: readonly AgentEntry[]; agentFiles?: readonly NamedFile[] };
}

/** Opens the registry of all agents, and the external servers that agent files define. */
export function openAgents(options: OpenAgentsOptions) {
  const { additional, document, knowledge, learn, logger, scripts, sections, store } = options;
  const files = agentFiles(withFiles(sections.files, additional.agentFiles ?? []), serverSections(document), learn);
  const sources = [
    tomlAgentSource(document, 'known'),
    files.source,
    luaAgentSource({ ...scripts, sections: sections.agents }),
    codeAgentSource({ logger, sections: sections.code }),
    // Files come before the store: with duplicate ids, the definition under version control wins.
    store.agents.source,
    tomlAgentSource(document, 'strange'),
  ];
  const agents = new AgentRegistry(sources, { knowledge, context: lazyReader(document) });
  for (const entry of additional.agents ?? []) agents.register(entry);
  return { agents, fileServers: files.servers };
}

/** Loads the code that reads files and pages with the first agent that names one. */
function lazyReader({ loaded }: ConfigDocument): ContextReader {
  const open = once(async () => (await import('./context-reader.ts')).contextReader(loaded));
  return { find: async (ref) => (await open()).find(ref) };
}
