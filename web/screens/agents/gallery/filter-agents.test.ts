import { describe, expect, it } from 'vitest';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { countBySource, countTags, filterAgents, gallerySearch } from './filter-agents.ts';

const agents = [
  agent({ id: 'code-reviewer', name: 'Code Reviewer', skills: 3, updatedAt: '2026-01-02T00:00:00Z' }),
  agent({
    id: 'writer',
    name: 'Writer',
    tags: ['docs team', 'daily'],
    description: 'Writes docs about code',
    skills: 7,
    updatedAt: '2026-01-03T00:00:00Z',
  }),
  agent({ id: 'on-call', name: 'Incident helper', source: 'toml', tags: ['daily'], tools: ['search'] }),
];
const ids = (search: Parameters<typeof filterAgents>[1]) => filterAgents(agents, search).map(({ id }) => id);

describe('filterAgents', () => {
  it('shows the newest first, agents without a time last', () => {
    expect(ids({})).toEqual(['writer', 'code-reviewer', 'on-call']);
  });

  it.each([
    ['a word in the name before the same word elsewhere', { q: 'code' }, ['code-reviewer', 'writer']],
    ['only agents that hold every word', { q: 'docs code' }, ['writer']],
    ['agents by id', { q: 'ON-CALL' }, ['on-call']],
    ['agents by a tool of their scope', { q: 'search' }, ['on-call']],
    ['nothing for an unknown word', { q: 'zebra' }, []],
    ['agents by a tag', { q: 'daily' }, ['writer', 'on-call']],
    ['one tag', { tag: 'docs team' }, ['writer']],
    ['one source', { source: 'toml' as const }, ['on-call']],
    ['by name', { sort: 'name' as const }, ['code-reviewer', 'on-call', 'writer']],
    ['by number of skills', { sort: 'skills' as const }, ['writer', 'code-reviewer', 'on-call']],
  ])('shows %s', (_, search, expected) => {
    expect(ids(search)).toEqual(expected);
  });

  it('shows favourites first, or only them', () => {
    const favourites = new Set(['on-call']);
    const shown = (search: Parameters<typeof filterAgents>[1]) =>
      filterAgents(agents, search, favourites).map(({ id }) => id);
    expect(shown({})).toEqual(['on-call', 'writer', 'code-reviewer']);
    expect(shown({ q: 'writer' })).toEqual(['writer']);
    expect(shown({ only: 'favourites' })).toEqual(['on-call']);
  });

  it('leaves the given list as it was', () => {
    const before = agents.map(({ id }) => id);
    filterAgents(agents, { sort: 'name' });
    expect(agents.map(({ id }) => id)).toEqual(before);
  });
});

describe('countBySource', () => {
  it('counts every source', () => {
    expect(countBySource(agents)).toEqual({ all: 3, store: 2, toml: 1, lua: 0, code: 0 });
  });
});

it('tags are counted in alphabetical order', () => {
  expect(countTags(agents)).toEqual([
    { tag: 'daily', count: 2 },
    { tag: 'docs team', count: 1 },
  ]);
});

describe('gallerySearch', () => {
  it.each([
    [
      { q: 'fox', source: 'lua', sort: 'name' },
      { q: 'fox', source: 'lua', sort: 'name' },
    ],
    [{ q: 42 }, { q: '42' }],
    [
      { tag: 7, only: 'favourites', group: 'source' },
      { tag: '7', only: 'favourites', group: 'source' },
    ],
    [{ tag: '', only: 'mine', group: 'tag' }, {}],
    [{ q: '', source: 'all', sort: 'updated' }, {}],
    [{ q: ['a'], source: 7, sort: {} }, {}],
  ])('reads %j as %j', (given, expected) => {
    expect(gallerySearch(given)).toEqual(expected);
  });
});

function agent(
  given: Partial<Omit<AgentSummary, 'skills'>> & { id: string; name: string; skills?: number },
): AgentSummary {
  return {
    description: '',
    mode: 'interactive',
    source: 'store',
    place: 'the store',
    editable: true,
    version: '1.0.0',
    tags: [],
    categories: [],
    appearanceSeed: null,
    tools: [],
    argumentCount: 0,
    revision: 1,
    updatedAt: null,
    ...given,
    skills: { total: given.skills ?? 0, enabled: given.skills ?? 0 },
  };
}
