import { HubError } from '../base/hub-error.ts';
import type { Agent } from './agent.ts';
import type { PromptArguments } from './agent-prompt.ts';

type Arguments = Readonly<Record<string, string>>;
type Declared = Pick<Agent, 'id' | 'arguments'>;

/** Throws INVALID_ARGUMENTS that names every one that is missing, and every one that the agent does not have. */
export function checkArguments(agent: Declared, given: Arguments): void {
  const missing = missingArguments(agent, given).map(({ name }) => name);
  const unknown = undeclared(agent, given);
  const sentences = undeclaredArguments(agent, given);
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(', ');
    sentences.unshift(`Agent "${agent.id}" needs the ${missing.length === 1 ? 'argument' : 'arguments'} ${names}.`);
  }
  if (sentences.length === 0) return;
  throw new HubError('INVALID_ARGUMENTS', sentences.join(' '), { details: { missing, unknown } });
}

/** Those that the agent cannot do without. */
export function missingArguments({ arguments: declared }: Declared, given: Arguments): Agent['arguments'] {
  return declared.filter(({ name, required }) => required && !Object.hasOwn(given, name));
}

/** One sentence for each value that fills nothing. */
export function undeclaredArguments(agent: Declared, given: Arguments): string[] {
  const declared = agent.arguments.map(({ name }) => name);
  const takes = declared.length === 0 ? 'it takes none' : `it takes ${declared.join(', ')}`;
  return undeclared(agent, given).map(
    (name) => `Agent "${agent.id}" has no argument "${name.slice(0, 80)}"; ${takes}.`,
  );
}

function undeclared(agent: Declared, given: Arguments): string[] {
  return Object.keys(given).filter((name) => !agent.arguments.some((each) => each.name === name));
}

/** A parameter of a call with the name of one of the agent's own arguments is its value. */
export function argumentsOf(agent: Pick<Agent, 'arguments'>, values: Record<string, unknown>): PromptArguments {
  const given = agent.arguments.filter(({ name }) => Object.hasOwn(values, name));
  return Object.fromEntries(given.map(({ name }) => [name, toText(values[name])]));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
