import type { Agent } from '../agents/agent.ts';
import { HubError } from '../base/hub-error.ts';

type Arguments = Readonly<Record<string, string>>;
type Declared = Pick<Agent, 'id' | 'arguments'>;

/** Throws INVALID_ARGUMENTS that names every one that is missing, and every one that the agent does not have. */
export function checkArguments(agent: Declared, given: Arguments): void {
  const missing = missingArguments(agent, given).map(({ name }) => name);
  const declared = agent.arguments.map(({ name }) => name);
  const unknown = Object.keys(given).filter((name) => !declared.includes(name));
  const sentences: string[] = [];
  if (missing.length > 0) sentences.push(`Agent "${agent.id}" needs the ${named(missing)}.`);
  if (unknown.length > 0) {
    const takes = declared.length === 0 ? 'it takes none' : `it takes ${declared.join(', ')}`;
    sentences.push(`Agent "${agent.id}" has no ${named(unknown)}; ${takes}.`);
  }
  if (sentences.length === 0) return;
  throw new HubError('INVALID_ARGUMENTS', sentences.join(' '), { details: { missing, unknown } });
}

/** Those that the agent cannot do without. */
export function missingArguments({ arguments: declared }: Declared, given: Arguments): Agent['arguments'] {
  return declared.filter(({ name, required }) => required && !Object.hasOwn(given, name));
}

function named(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name.slice(0, 80)}"`).join(', ');
  return `${names.length === 1 ? 'argument' : 'arguments'} ${quoted}`;
}
