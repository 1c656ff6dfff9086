import type { AgentSourceKind } from '../../../../src/agents/agent.ts';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';

export const sourceFilters = ['all', 'store', 'toml', 'lua', 'code'] as const;
export type SourceFilter = (typeof sourceFilters)[number];
export type Sorting = 'updated' | 'name' | 'skills';

/** The gallery's search parameters; defaults are left out. */
export interface GallerySearch {
  q?: string;
  source?: AgentSourceKind;
  tag?: string;
  only?: 'favourites';
  group?: 'source';
  sort?: Exclude<Sorting, 'updated'>;
  /** Asks for a file to import. */
  import?: true;
}

/** Parses the search parameters and drops unknown values. */
export function gallerySearch(search: Record<string, unknown>): GallerySearch {
  const { q, source, tag, only, group, sort } = search;
  return {
    ...(isText(q) && { q: String(q) }),
    ...(isText(tag) && { tag: String(tag) }),
    ...(only === 'favourites' && { only }),
    ...(group === 'source' && { group }),
    ...((source === 'store' || source === 'toml' || source === 'lua' || source === 'code') && { source }),
    ...((sort === 'name' || sort === 'skills') && { sort }),
    ...(search.import === true && { import: true }),
  };
}

/** The router reads ?q=42 as a number. */
function isText(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** Returns the agents that contain every word, best matches first; without words, favourites first, each part in the chosen order. */
export function filterAgents(
  agents: readonly AgentSummary[],
  search: GallerySearch,
  favourites: ReadonlySet<string> = new Set(),
): AgentSummary[] {
  const words = (search.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = agents
    .filter((agent) => search.source === undefined || agent.source === search.source)
    .filter((agent) => search.tag === undefined || agent.tags.includes(search.tag))
    .filter((agent) => search.only === undefined || favourites.has(agent.id))
    .map((agent) => ({ agent, rank: rank(agent, words) }))
    .filter(({ rank }) => rank > 0);
  const compare = comparisons[search.sort ?? 'updated'];
  const star = ({ id }: AgentSummary) => Number(favourites.has(id));
  return found
    .sort((a, b) => b.rank - a.rank || star(b.agent) - star(a.agent) || compare(a.agent, b.agent))
    .map(({ agent }) => agent);
}

export function countBySource(agents: readonly AgentSummary[]): Record<SourceFilter, number> {
  const counts = { all: agents.length, store: 0, toml: 0, lua: 0, code: 0 };
  for (const agent of agents) counts[agent.source] += 1;
  return counts;
}

/** Returns each tag with the number of its agents, in alphabetical order. */
export function countTags(agents: readonly AgentSummary[]): { tag: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const tag of agents.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].map(([tag, count]) => ({ tag, count })).sort((a, b) => a.tag.localeCompare(b.tag));
}

/** Returns 0 if a word is missing. A word in the name counts more than one elsewhere. */
function rank(agent: AgentSummary, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const name = agent.name.toLowerCase();
  const rest = [
    agent.id,
    agent.description,
    ...agent.tags,
    ...agent.categories.map((each) => each.name),
    ...agent.tools,
  ]
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
