import { AgentId } from '../../../../src/agents/agent.ts';
import { slugify } from '../../../../src/base/ids.ts';

/** The id that goes with a name: its slug, with a number behind it when that is taken. */
export function suggestId(name: string, taken: ReadonlySet<string>): string {
  const slug = slugify(name);
  if (slug === '' || !taken.has(slug)) return slug;
  for (let number = 2; ; number += 1) {
    const ending = `-${number}`;
    const candidate = `${slug.slice(0, 64 - ending.length)}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** What is wrong with an id, as a sentence, or null. */
export function idProblem(id: string, taken: ReadonlySet<string>): string | null {
  if (id === '') return 'The agent needs an id.';
  const checked = AgentId.safeParse(id);
  if (!checked.success) return `The id ${checked.error.issues[0]?.message ?? 'is not valid'}.`;
  return taken.has(id) ? `An agent with the id “${id}” is already in the zoo.` : null;
}
