import { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentEntry } from '../agents/agent-source.ts';
import type { Logger } from '../base/logger.ts';
import { agentFiles } from '../config/agents/agent-files.ts';
import { codeAgentSource } from '../config/agents/code-agents.ts';
import { tomlAgentSource } from '../config/agents/toml-agents.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import type { scriptSections } from '../config/script-sections.ts';
import { type NamedFile, withFiles } from '../config/script-sections.ts';
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
  /** Agents written in code, and agent files beside those that the config names. */
  given: { agents?: readonly AgentEntry[]; agentFiles?: readonly NamedFile[] };
}

/** Every agent of config, files, code and store; and the external servers that agent files bring along. */
export function openAgents({ document, given, knowledge, logger, scripts, sections, store }: OpenAgentsOptions) {
  const files = agentFiles(withFiles(sections.files, given.agentFiles ?? []), serverSections(document));
  const sources = [
    tomlAgentSource(document),
    files.source,
    luaAgentSource({ ...scripts, sections: sections.agents }),
    codeAgentSource({ logger, sections: sections.code }),
    // Files before the store: what a person keeps under version control wins when two agents have one id.
    store.agents.source,
  ];
  const agents = new AgentRegistry(sources, { knowledge });
  for (const entry of given.agents ?? []) agents.register(entry);
  return { agents, fileServers: files.servers };
}
