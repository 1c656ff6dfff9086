import type { PromptMessage } from '../../agents/agent-prompt.ts';
import { contextLinks } from '../../agents/deliver-context.ts';
import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ContentBlock } from '../../tools/content.ts';
import { askAgain, beginAsking } from '../protocol/ask-by-retry.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { invalidParams, isObject } from '../protocol/protocol.ts';
import { SessionToolClient } from '../protocol/tool-clients.ts';
import type { McpView } from '../view.ts';

/** `prompts/list`: lists the agents of the view as prompts. */
export async function listPrompts(view: McpView, exchange: Exchange): Promise<string> {
  await view.refresh();
  const { revision } = view.parts.agents;
  const page = view.prompts.page(exchange.request.params, [revision, view.agentId], {
    items: () => view.agents(),
    key: (agent) => agent.id,
    toJson: (agent) => ({
      name: agent.id,
      ...(agent.name !== agent.id && { title: agent.name }),
      description: agent.description || `Take on the role of ${agent.name}.`,
      ...(agent.arguments.length > 0 && {
        arguments: agent.arguments.map(({ name, description, required }) => ({
          name,
          ...(description && { description }),
          required,
        })),
      }),
    }),
  });
  return view.complete(exchange.peer, page, true);
}

/** `prompts/get`. MCP has no system role, so the system text becomes the first user message. */
export async function getPrompt(view: McpView, exchange: Exchange): Promise<string> {
  const { name, arguments: argumentValues } = exchange.request.params;
  if (typeof name !== 'string') throw invalidParams('"name" must be a string.');
  // A member may have switched to another agent.
  if (view.memberId !== undefined) await view.refresh();
  if (view.agentId !== undefined && name !== view.agentId)
    throw invalidParams(`Unknown prompt "${name.slice(0, 80)}". Available: ${view.agentId ?? 'none'}.`);
  const asking = exchange.peer.era === 'stateless' ? await beginAsking(view, exchange, name) : undefined;
  const client = asking ? asking.client : new SessionToolClient(exchange);
  try {
    const prompt = await view.parts.agents.resolve(name, readArguments(argumentValues), {
      signal: exchange.abort.signal,
      client,
    });
    const again = asking && askAgain(asking);
    if (again) return again;
    const description = view.parts.agents.find(name)?.description;
    const system: PromptMessage[] = prompt.system === '' ? [] : [{ role: 'user', content: prompt.system }];
    const links = contextLinks(prompt.context).map((content): PromptMessage => ({ role: 'user', content }));
    const messages = [...system, ...links, ...prompt.messages].map(toMcpMessage);
    return view.complete(exchange.peer, JSON.stringify({ ...(description && { description }), messages }));
  } catch (error) {
    const again = asking && askAgain(asking);
    if (again) return again;
    if (error instanceof HubError && error.code === 'AGENT_NOT_FOUND')
      throw invalidParams(`Unknown prompt "${name.slice(0, 80)}". ${error.message}`);
    throw error;
  }
}

function toMcpMessage({ role, content }: PromptMessage): { role: string; content: ContentBlock } {
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    content: typeof content === 'string' ? { type: 'text', text: content } : content,
  };
}

function readArguments(value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!isObject(value)) throw invalidParams('"arguments" must be an object.');
  return Object.fromEntries(Object.entries(value as JsonObject).map(checkArgument));
}

function checkArgument([name, value]: [string, unknown]): [string, string] {
  if (typeof value !== 'string') throw invalidParams(`The argument "${name.slice(0, 80)}" must be a string.`);
  return [name, value];
}
