import type { Agent } from '../agents/agent.ts';
import { UsageError } from './report-error.ts';
import { printableLine } from './text-width.ts';

/** One sentence for each value that fills nothing. */
export function undeclaredArguments(
  agent: Pick<Agent, 'id' | 'arguments'>,
  args: Readonly<Record<string, string>>,
): string[] {
  const declared = agent.arguments.map(({ name }) => name);
  const takes = declared.length === 0 ? 'it takes none' : `it takes ${declared.join(', ')}`;
  return Object.keys(args)
    .filter((name) => !declared.includes(name))
    .map((name) => `Agent "${agent.id}" has no argument "${printableLine(name)}"; ${takes}.`);
}

/** Before a model is asked and paid: a misspelt argument would be left out in silence. */
export function refuseUndeclared(...given: Parameters<typeof undeclaredArguments>): void {
  const [first] = undeclaredArguments(...given);
  if (first !== undefined) throw new UsageError(first);
}
