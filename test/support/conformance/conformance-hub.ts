import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '../../../src/agents/define-agent.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createHub, type Hub } from '../../../src/hub.ts';
import { conformanceAgents } from './conformance-agents.ts';
import { conformanceResources } from './conformance-resources.ts';
import { conformanceTools } from './conformance-tools.ts';

/** A hub with everything that the conformance suites use by name, built with the public API only. */
export async function createConformanceHub(): Promise<{ hub: Hub; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-conformance-'));
  const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
  // The suite sends no key.
  config.config.server.anonymous = 'work';
  let changes = 0;
  const hub: Hub = await createHub({
    config,
    agents: conformanceAgents(),
    resources: [conformanceResources()],
    tools: conformanceTools({
      changeTools() {
        const [tool] = conformanceTools({ changeTools() {}, changePrompts() {} });
        changes += 1;
        if (tool) hub.tools.register({ ...tool, name: `test_added_tool_${changes}` });
      },
      changePrompts() {
        changes += 1;
        hub.agents.register(defineAgent({ name: `test_added_prompt_${changes}` }));
      },
    }),
  });
  return {
    hub,
    async close() {
      await hub.close();
      await rm(folder, { recursive: true });
    },
  };
}
