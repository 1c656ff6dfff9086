import { compilePrompt } from '../../agents/compile-prompt.ts';
import { HubError } from '../../base/hub-error.ts';
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

/** `initialize` of the revisions with sessions. A version we do not know is answered with our newest. */
export function initialize(view: McpView, exchange: Exchange): string {
  const { protocolVersion, capabilities: declared } = exchange.request.params;
  if (typeof protocolVersion !== 'string') throw invalidParams('"protocolVersion" must be a string.');
  exchange.peer.version = sessionVersions.includes(protocolVersion) ? protocolVersion : newestSessionVersion;
  exchange.peer.capabilities = isObject(declared) ? declared : {};
  const head = `{"protocolVersion":"${exchange.peer.version}","capabilities":${capabilitiesOf(view)}`;
  return `${head},"serverInfo":${view.serverInfo}${instructionsField(view)}}`;
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
 * Clients hand this text to the model. For the view of one agent it is the agent: also a client that shows no prompts
 * becomes it by connecting. Code builds its prompt from arguments, so there only the prompt's name can be given.
 */
function instructionsOf(view: McpView): string {
  if (view.memberId !== undefined) return memberInstructions(view, view.memberId);
  if (typeof view.agentId !== 'string') {
    return 'Agent Zoo is a hub of AI agents. Call agent_zoo_list_agents to see them, then agent_zoo_inject with an agentId and take on the returned prompt. Each agent is a prompt here as well, by its id. The agent_zoo_*_brain_entry tools keep what an agent should remember.';
  }
  const entry = view.parts.agents.findEntry(view.agentId);
  if (!entry) throw new HubError('AGENT_NOT_FOUND', `Agent with ID '${view.agentId}' is gone, and this view with it.`);
  const { agent } = entry;
  if (view.hasOnlyTools) return agent.description;
  const tools = agent.tools.length > 0 ? agent.tools.join(', ') : 'none';
  const about = `Agent Zoo, the view of one agent: ${agent.name} (id ${agent.id}). Only the tools in this agent's scope exist here: ${tools}.`;
  if (entry.resolve) return `${about} Get the prompt "${agent.id}" and take it on.`;
  return `${about} Take on its prompt:\n\n${compilePrompt(agent).text}`;
}

function memberInstructions(view: McpView, memberId: string): string {
  const about = `Agent Zoo, the place of team member ${memberId}. mcp__mail__list_inbox shows your mail, mcp__mail__send writes to other members or to the person (toHuman: true), mcp__agent__get_task is what you work on, mcp__task__update_status moves it on. Only the tools you may call are listed.`;
  const entry = typeof view.agentId === 'string' ? view.parts.agents.findEntry(view.agentId) : undefined;
  if (!entry) return about;
  if (entry.resolve) return `${about} Get the prompt "${entry.agent.id}" and take it on.`;
  return `${about} Take on your prompt:\n\n${compilePrompt(entry.agent).text}`;
}
