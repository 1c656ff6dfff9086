import { HubError } from '../base/hub-error.ts';
import { stringifyExact } from '../base/json.ts';
import type { Agent } from './agent.ts';
import type { PromptArguments } from './agent-prompt.ts';
import type { ArgumentValues } from './agent-source.ts';

type Arguments = Readonly<Record<string, string>>;
type Declared = Pick<Agent, 'id' | 'arguments'>;

/** Throws INVALID_ARGUMENTS that names all missing and all unknown arguments. */
export function checkArguments(agent: Declared, values: Arguments): void {
  const missing = missingArguments(agent, values).map(({ name }) => name);
  const unknown = undeclared(agent, values);
  const sentences = undeclaredArguments(agent, values);
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(', ');
    sentences.unshift(`Agent "${agent.id}" needs the ${missing.length === 1 ? 'argument' : 'arguments'} ${names}.`);
  }
  if (sentences.length === 0) return;
  throw new HubError('INVALID_ARGUMENTS', sentences.join(' '), { details: { missing, unknown } });
}

/** Returns the required arguments that have no value. */
export function missingArguments({ arguments: declared }: Declared, values: Arguments): Agent['arguments'] {
  return declared.filter(({ name, required }) => required && !Object.hasOwn(values, name));
}

/** Returns one sentence for each value that matches no argument. */
export function undeclaredArguments(agent: Declared, values: Arguments): string[] {
  const declared = agent.arguments.map(({ name }) => name);
  const takes = declared.length === 0 ? 'it takes none' : `it takes ${declared.join(', ')}`;
  return undeclared(agent, values).map(
    (name) => `Agent "${agent.id}" has no argument "${name.slice(0, 80)}"; ${takes}.`,
  );
}

function undeclared(agent: Declared, values: Arguments): string[] {
  return Object.keys(values).filter((name) => !agent.arguments.some((each) => each.name === name));
}

/** Returns the call's parameters that have the name of an argument of the agent, as text. */
export function argumentsOf(agent: Pick<Agent, 'arguments'>, values: Record<string, unknown>): PromptArguments {
  const matching = agent.arguments.filter(({ name }) => Object.hasOwn(values, name));
  return Object.fromEntries(matching.map(({ name }) => [name, toText(values[name])]));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyExact(value);
}

/** Returns the arguments of an agent that takes text. Throws INVALID_ARGUMENTS for a value that is not plain text. */
export function textArguments(values: ArgumentValues): PromptArguments {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      if (typeof value === 'number' || typeof value === 'boolean') return [name, String(value)];
      throw new HubError('INVALID_ARGUMENTS', `Argument "${name.slice(0, 80)}" must be a string.`, {
        details: { argument: name.slice(0, 80) },
      });
    }),
  );
}
