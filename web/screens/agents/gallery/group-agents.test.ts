import { describe, expect, it } from 'vitest';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { cardAfterKey, groupBySource, layOut } from './group-agents.ts';

const agent = (id: string, source: AgentSummary['source'] = 'store', place = 'the store') =>
  ({ id, source, place }) as AgentSummary;
const agents = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => agent(id));

describe('groupBySource', () => {
  it('puts agents made in the app first, then each folder of files', () => {
    const groups = groupBySource([
      agent('toml', 'toml', 'zoo.toml'),
      agent('late', 'toml', 'agents/late.toml'),
      agent('made'),
      agent('early', 'toml', 'agents/early.toml'),
    ]);
    expect(groups.map(({ title, agents }) => [title, agents.map(({ id }) => id)])).toEqual([
      ['Made in the app', ['made']],
      ['TOML · agents', ['late', 'early']],
      ['TOML · zoo.toml', ['toml']],
    ]);
  });
});

describe('layOut', () => {
  it('starts a row for each group, and leaves out the cards of folded groups', () => {
    const groups = [
      { title: 'One', agents: agents.slice(0, 3) },
      { title: 'Two', agents: agents.slice(3, 5) },
      { title: 'Three', agents: agents.slice(5) },
    ];
    const { rows, agents: shown } = layOut(groups, { columns: 2, folded: new Set(['Two']) });
    expect(rows).toEqual([
      { title: 'One', count: 3 },
      { cards: [0, 1] },
      { cards: [2] },
      { title: 'Two', count: 2 },
      { title: 'Three', count: 2 },
      { cards: [3, 4] },
    ]);
    expect(shown.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'f', 'g']);
  });
});

describe('cardAfterKey', () => {
  // Seven cards in three columns: 0 1 2 / 3 4 5 / 6.
  const { rows } = layOut([{ title: null, agents }], { columns: 3, folded: new Set() });

  it.each([
    ['ArrowRight', 0, 1],
    ['ArrowRight', 6, undefined],
    ['ArrowLeft', 0, undefined],
    ['ArrowLeft', 3, 2],
    ['ArrowDown', 0, 3],
    ['ArrowDown', 5, 6],
    ['ArrowDown', 6, undefined],
    ['ArrowUp', 4, 1],
    ['ArrowUp', 1, undefined],
    ['Home', 5, 0],
    ['End', 0, 6],
    ['Enter', 0, undefined],
  ])('%s on card %i moves to %s', (key, index, expected) => {
    expect(cardAfterKey(key, index, rows)).toBe(expected);
  });
});
