import type { Agent } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentEntry } from '../agents/agent-source.ts';
import { HubError } from '../base/hub-error.ts';
import type { Caller } from '../tools/caller.ts';
import { executeTool, type PipelineParts, type ToolCall, type ToolOutcome } from '../tools/execute-tool.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { agentTool } from './agent-tool.ts';
import type { Sessions } from './sessions.ts';
import { SharedSessions } from './shared-sessions.ts';

/** A Tools-mode agent as it is now, with what others can call of it. */
export interface ServedAgent {
  readonly agent: Agent;
  /** What it exposes, as tools. */
  readonly tools: ToolRegistry;
  /** Who calls at the agent's own MCP address: in the log the agent is the persona, and what it exposes is all there is. */
  readonly caller: Caller;
  execute(call: ToolCall): Promise<ToolOutcome>;
}

interface ToolsModeParts {
  agents: AgentRegistry;
  sessions: Pick<Sessions, 'open'>;
  pipeline: PipelineParts;
}

interface Kept {
  entry: AgentEntry;
  served: ServedAgent;
  shared: SharedSessions;
}

/** Loads the tool definitions of agents, once for each revision; what was kept for the one before goes with it. */
export function createToolsMode(parts: ToolsModeParts) {
  const kept = new Map<string, Kept>();
  parts.agents.changes.on(({ removed }) => removed.forEach(forget));

  function forget(agentId: string): void {
    const known = kept.get(agentId);
    kept.delete(agentId);
    void known?.shared.close();
  }

  return {
    /** Returns the same object until the agent changes. Throws AGENT_NOT_FOUND, and INVALID_AGENT_STATE for an agent of another mode. */
    async serve(agentId: string): Promise<ServedAgent> {
      const entry = await parts.agents.get(agentId);
      const { agent } = entry;
      const known = kept.get(agent.id);
      if (known?.entry === entry) return known.served;
      forget(agent.id);
      if (agent.mode !== 'tools') throw otherMode(agent);
      const shared = new SharedSessions();
      const served = load(parts, agent, shared);
      kept.set(agent.id, { entry, served, shared });
      return served;
    },
  };
}

function load({ sessions, pipeline }: ToolsModeParts, agent: Agent, shared: SharedSessions): ServedAgent {
  const { clock } = pipeline;
  const tools = new ToolRegistry();
  tools.register(...agent.exposes.map((definition) => agentTool({ sessions, clock, agent, definition, shared })));
  const parts = { ...pipeline, tools };
  return {
    agent,
    tools,
    caller: { surface: 'mcp', scope: { agentId: agent.id, tools: agent.exposes.map(({ name }) => name) } },
    execute: (call) => executeTool(parts, call),
  };
}

function otherMode({ id, mode }: Agent): HubError {
  return new HubError(
    'INVALID_AGENT_STATE',
    `Agent "${id}" is in ${mode} mode and serves no tools of its own. Set its mode to "tools" and define what it exposes.`,
  );
}
