import type { Exchange } from './exchange.ts';
import { invalidParams, isObject, newestSessionVersion, sessionVersions, statelessVersion } from './protocol.ts';
import type { McpView } from './view.ts';

const capabilities = JSON.stringify({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
});

/** `initialize` of the revisions with sessions. A version we do not know is answered with our newest. */
export function initialize(view: McpView, exchange: Exchange): string {
  const { protocolVersion, capabilities: declared } = exchange.request.params;
  if (typeof protocolVersion !== 'string') throw invalidParams('"protocolVersion" must be a string.');
  exchange.peer.version = sessionVersions.includes(protocolVersion) ? protocolVersion : newestSessionVersion;
  exchange.peer.capabilities = isObject(declared) ? declared : {};
  const head = `{"protocolVersion":"${exchange.peer.version}","capabilities":${capabilities}`;
  return `${head},"serverInfo":${view.serverInfo},"instructions":${JSON.stringify(instructionsOf(view))}}`;
}

/** `server/discover` of revision 2026-07-28. */
export function discover(view: McpView, exchange: Exchange): string {
  const body = `{"supportedVersions":["${statelessVersion}"],"capabilities":${capabilities},"instructions":${JSON.stringify(instructionsOf(view))}}`;
  return view.complete(exchange.peer, body, true);
}

function instructionsOf(view: McpView): string {
  const agent = view.agentId === undefined ? undefined : view.hub.agents.find(view.agentId);
  if (!agent) {
    return 'Agent Zoo is a hub of AI agents. Call agent_zoo_list_agents to see them, then agent_zoo_inject with an agentId and take on the returned prompt. Each agent is a prompt here as well, by its id. The agent_zoo_*_brain_entry tools keep what an agent should remember.';
  }
  const tools = agent.tools.length > 0 ? agent.tools.join(', ') : 'none';
  return `Agent Zoo, the view of one agent: ${agent.name} (id ${agent.id}). Get the prompt "${agent.id}" and take it on. Only the tools in this agent's scope exist here: ${tools}.`;
}
