import { compilePrompt } from '../../agents/compile-prompt.ts';
import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { SessionClient } from '../sessions/session-token.ts';
import type { McpView } from '../view.ts';
import type { Exchange } from './exchange.ts';
import { invalidParams, isObject, newestSessionVersion, sessionVersions, statelessVersion } from './protocol.ts';

const toolsOnly = JSON.stringify({ tools: { listChanged: true }, logging: {} });
const everything = JSON.stringify({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
});

/** `initialize` of the revisions with sessions. Replies to an unknown version with the newest one. */
export function initialize(view: McpView, exchange: Exchange): string {
  const { version, capabilities } = readClient(exchange.request.params);
  exchange.peer.version = version;
  exchange.peer.capabilities = capabilities;
  const head = `{"protocolVersion":"${exchange.peer.version}","capabilities":${capabilitiesOf(view)}`;
  return `${head},"serverInfo":${view.serverInfo}${instructionsField(view)}}`;
}

/** Reads the client's description in `initialize`, as far as the hub uses it. Throws -32602. */
export function readClient({ protocolVersion, capabilities }: JsonObject): SessionClient {
  if (typeof protocolVersion !== 'string') throw invalidParams('"protocolVersion" must be a string.');
  return {
    version: sessionVersions.includes(protocolVersion) ? protocolVersion : newestSessionVersion,
    capabilities: isObject(capabilities) ? knownCapabilities(capabilities) : {},
  };
}

/** The members of a capability that the hub uses. */
const usedMembers = { elicitation: ['form', 'url'], sampling: ['tools'], roots: [] } as const;

/** Returns the capabilities that the hub uses. They are a part of the session id, so everything else is left out. */
function knownCapabilities(declared: JsonObject): JsonObject {
  const known: JsonObject = {};
  for (const [name, members] of Object.entries(usedMembers)) {
    const capability = declared[name];
    if (!isObject(capability)) continue;
    known[name] = Object.fromEntries(
      members.filter((each) => capability[each] !== undefined).map((each) => [each, {}]),
    );
  }
  return known;
}

/** `server/discover` of revision 2026-07-28. */
export function discover(view: McpView, exchange: Exchange): string {
  const body = `{"supportedVersions":["${statelessVersion}"],"capabilities":${capabilitiesOf(view)}${instructionsField(view)}}`;
  return view.complete(exchange.peer, body, true);
}

function capabilitiesOf({ hasOnlyTools }: McpView): string {
  return hasOnlyTools ? toolsOnly : everything;
}

function instructionsField(view: McpView): string {
  const text = instructionsOf(view);
  return text === '' ? '' : `,"instructions":${JSON.stringify(text)}`;
}

/**
 * Returns the instructions that clients pass to the model. In the view of one agent, they contain the agent's prompt, so that
 * clients without support for prompts can use it, too. An agent that builds its prompt in code is only named.
 */
function instructionsOf(view: McpView): string {
  if (view.memberId !== undefined) return memberInstructions(view, view.memberId);
  if (typeof view.agentId !== 'string') {
    return 'Agent Zoo is a hub of AI agents. Call agent_zoo_list_agents to list them, then agent_zoo_inject with an agentId, and take on the returned prompt. Each agent is also an MCP prompt, named by its id. The agent_zoo_*_brain_entry tools store what an agent should remember.';
  }
  const entry = view.parts.agents.findEntry(view.agentId);
  if (!entry) throw new HubError('AGENT_NOT_FOUND', `Agent with ID '${view.agentId}' no longer exists.`);
  const { agent } = entry;
  if (view.hasOnlyTools) return agent.description;
  const tools = agent.tools.length > 0 ? agent.tools.join(', ') : 'none';
  const about = `This is the Agent Zoo view of one agent: ${agent.name} (id ${agent.id}). It offers only the tools in the agent's scope: ${tools}.`;
  if (entry.resolve) return `${about} Get the prompt "${agent.id}" and take it on.`;
  return `${about} Take on its prompt:\n\n${compilePrompt(agent).text}`;
}

function memberInstructions(view: McpView, memberId: string): string {
  const about = `You are team member ${memberId} of an Agent Zoo hub. mcp__mail__list_inbox lists your mail, mcp__mail__send writes to other members or to the user (toHuman: true), mcp__agent__get_task returns your current task, and mcp__task__update_status changes its state. Only the tools that you may call are listed.`;
  const entry = typeof view.agentId === 'string' ? view.parts.agents.findEntry(view.agentId) : undefined;
  if (!entry) return about;
  if (entry.resolve) return `${about} Get the prompt "${entry.agent.id}" and take it on.`;
  return `${about} Take on your prompt:\n\n${compilePrompt(entry.agent).text}`;
}
