import { agentUri } from '../../agents/agent-resources.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { invalidParams, isObject } from '../protocol/protocol.ts';
import type { McpView } from '../view.ts';
import { scopedTemplates } from './resources.ts';

const maxValues = 100;

/** `completion/complete` for prompt arguments and resource template variables. */
export async function completeArgument(view: McpView, exchange: Exchange): Promise<string> {
  const { ref, argument } = exchange.request.params;
  if (!isObject(ref)) throw invalidParams('"ref" must be an object.');
  if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string')
    throw invalidParams('"argument" must have a "name" and a "value".');
  const found = await valuesFor(view, ref, { name: argument.name, value: argument.value });
  const values = found.slice(0, maxValues);
  const completion = { values, total: found.length, hasMore: found.length > values.length };
  return view.complete(exchange.peer, JSON.stringify({ completion }));
}

async function valuesFor(
  view: McpView,
  ref: { [key: string]: unknown },
  argument: { name: string; value: string },
): Promise<string[]> {
  if (ref.type === 'ref/prompt' && typeof ref.name === 'string') return promptValues(view, ref.name, argument);
  if (ref.type === 'ref/resource' && typeof ref.uri === 'string') {
    await view.refresh();
    const template = hubTemplate(view, ref.uri);
    // A scoped view has filled in the agent's id: only the variables that it shows have values.
    if (view.agentId !== undefined && !ref.uri.includes(`{${argument.name}}`)) return [];
    return view.parts.resources.complete(template, argument.name, argument.value);
  }
  throw invalidParams('"ref" must be {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…}.');
}

/** Completes arguments whose name contains "agent" with agent ids. Other arguments have no completions. */
async function promptValues(
  view: McpView,
  prompt: string,
  argument: { name: string; value: string },
): Promise<string[]> {
  await view.refresh();
  const agents = view.agents();
  const agent = agents.find((each) => each.id === prompt);
  if (!agent) throw invalidParams(`Unknown prompt "${prompt.slice(0, 80)}".`);
  if (!agent.arguments.some((each) => each.name === argument.name))
    throw invalidParams(`Prompt "${prompt}" has no argument "${argument.name.slice(0, 80)}".`);
  if (!/agent/i.test(argument.name)) return [];
  return agents.map((each) => each.id).filter((id) => id.startsWith(argument.value));
}

/** Returns the hub's form of a template that a scoped view shows with the agent's id filled in. */
function hubTemplate(view: McpView, uri: string): string {
  const { agentId } = view;
  if (agentId === undefined) return uri;
  if (!scopedTemplates(view).some((each) => each.uriTemplate === uri))
    throw invalidParams(`Unknown resource template "${uri.slice(0, 200)}".`);
  if (agentId === null || !uri.startsWith(agentUri(agentId))) return uri;
  return agentUri('{id}') + uri.slice(agentUri(agentId).length);
}
