import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '../../../src/agents/define-agent.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createHub, type Hub } from '../../../src/hub.ts';
import { conformanceAgents } from './conformance-agents.ts';
import { conformanceResources } from './conformance-resources.ts';
import { conformanceTools } from './conformance-tools.ts';

export interface ConformanceHub {
  hub: Hub;
  close(): Promise<void>;
}

interface Replica {
  db: { url: string };
  /** AGENT_ZOO_SECRET. */
  secret: string;
  /** All replicas, whose tools and prompts change together, as if a deployment had changed them. */
  all: ConformanceHub[];
}

/** A hub with everything that the conformance suites use by name, built with the public API only. */
export async function createConformanceHub(replica?: Replica): Promise<ConformanceHub> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-conformance-'));
  const env = { AGENT_ZOO_HOME: folder, ...(replica && { AGENT_ZOO_SECRET: replica.secret }) };
  const config = await loadConfig({ cwd: folder, env, home: folder });
  // The suite sends no key.
  config.config.server.anonymous = 'work';
  let changes = 0;
  const hubs = () => replica?.all.map((each) => each.hub) ?? [hub];
  const hub: Hub = await createHub({
    config,
    ...(replica && { db: replica.db }),
    agents: conformanceAgents(),
    resources: [conformanceResources()],
    tools: conformanceTools({
      changeTools() {
        const [tool] = conformanceTools({ changeTools() {}, changePrompts() {} });
        changes += 1;
        for (const each of hubs()) if (tool) each.tools.register({ ...tool, name: `test_added_tool_${changes}` });
      },
      changePrompts() {
        changes += 1;
        for (const each of hubs()) each.agents.register(defineAgent({ name: `test_added_prompt_${changes}` }));
      },
    }),
  });
  const opened: ConformanceHub = {
    hub,
    async close() {
      await hub.close();
      await rm(folder, { recursive: true });
    },
  };
  replica?.all.push(opened);
  return opened;
}
