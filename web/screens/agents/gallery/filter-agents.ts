import type { AgentSourceKind } from '../../../../src/agents/agent.ts';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';

export const sourceFilters = ['all', 'store', 'toml', 'lua', 'code'] as const;
export type SourceFilter = (typeof sourceFilters)[number];
export type Sorting = 'updated' | 'name' | 'skills';

/** The gallery's search parameters; defaults are left out. */
export interface GallerySearch {
  q?: string;
  source?: AgentSourceKind;
  sort?: Exclude<Sorting, 'updated'>;
}

/** Parses the search parameters and drops unknown values. */
export function gallerySearch(search: Record<string, unknown>): GallerySearch {
  const { q, source, sort } = search;
  return {
    // The router reads ?q=42 as a number.
    ...((typeof q === 'string' || typeof q === 'number') && q !== '' && { q: String(q) }),
    ...((source === 'store' || source === 'toml' || source === 'lua' || source === 'code') && { source }),
    ...((sort === 'name' || sort === 'skills') && { sort }),
  };
}

/** Returns the agents that contain every word, best matches first; without words, in the chosen order. */
export function filterAgents(agents: readonly AgentSummary[], search: GallerySearch): AgentSummary[] {
  const words = (search.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = agents
    .filter((agent) => search.source === undefined || agent.source === search.source)
    .map((agent) => ({ agent, rank: rank(agent, words) }))
    .filter(({ rank }) => rank > 0);
  const compare = comparisons[search.sort ?? 'updated'];
  return found.sort((a, b) => b.rank - a.rank || compare(a.agent, b.agent)).map(({ agent }) => agent);
}

export function countBySource(agents: readonly AgentSummary[]): Record<SourceFilter, number> {
  const counts = { all: agents.length, store: 0, toml: 0, lua: 0, code: 0 };
  for (const agent of agents) counts[agent.source] += 1;
  return counts;
}

/** Returns 0 if a word is missing. A word in the name counts more than one elsewhere. */
function rank(agent: AgentSummary, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const name = agent.name.toLowerCase();
  const rest = [agent.id, agent.description, ...agent.categories.map((each) => each.name), ...agent.tools]
    .join('\n')
    .toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (name.startsWith(word)) sum += 4;
    else if (name.includes(word)) sum += 3;
    else if (rest.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

const byName = (a: AgentSummary, b: AgentSummary) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id);

const comparisons: Record<Sorting, (a: AgentSummary, b: AgentSummary) => number> = {
  updated: (a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? '') || byName(a, b),
  name: byName,
  skills: (a, b) => b.skills.total - a.skills.total || byName(a, b),
};
