import type { Agent } from './agent.ts';
import type { PromptArguments } from './agent-prompt.ts';

/** A parameter of a call with the name of one of the agent's own arguments is its value. */
export function argumentsOf(agent: Pick<Agent, 'arguments'>, values: Record<string, unknown>): PromptArguments {
  const given = agent.arguments.filter(({ name }) => Object.hasOwn(values, name));
  return Object.fromEntries(given.map(({ name }) => [name, toText(values[name])]));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
