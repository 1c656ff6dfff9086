import { describe, expect, it } from 'vitest';
import { AgentInput } from '../../../../src/agents/agent.ts';
import { type Draft, toDraft } from './draft.ts';
import { mergeDrafts, resolveConflicts } from './merge-drafts.ts';

const skill = (id: string, description = '', categoryId: string | null = null) => ({
  id,
  name: id,
  description,
  categoryId,
  enabled: true,
});
const base: Draft = toDraft({
  ...AgentInput.parse({
    name: 'Otter',
    systemPrompt: 'Swim.',
    tools: ['a', 'b'],
    skillCategories: [{ id: 'water', name: 'Water', color: '#112233' }],
    skills: [skill('one'), skill('two'), skill('three')],
  }),
  id: 'otter',
  source: 'store',
});
const merge = (mine: Partial<Draft>, theirs: Partial<Draft>) =>
  mergeDrafts({ base, mine: { ...base, ...mine }, theirs: { ...base, ...theirs } });
const titles = (result: ReturnType<typeof merge>) => result.conflicts.map(({ title }) => title);

describe('mergeDrafts', () => {
  it('takes what only one side changed from that side', () => {
    const { draft, conflicts } = merge({ name: 'Sea otter' }, { systemPrompt: 'Dive.' });
    expect(conflicts).toEqual([]);
    expect(draft).toEqual({ ...base, name: 'Sea otter', systemPrompt: 'Dive.' });
  });

  it('is no conflict if both made the same change', () => {
    const { draft, conflicts } = merge({ name: 'Sea otter', tools: ['a'] }, { name: 'Sea otter', tools: ['a'] });
    expect([draft, conflicts]).toEqual([{ ...base, name: 'Sea otter', tools: ['a'] }, []]);
  });

  it('leaves what both changed to the user, part by part', () => {
    const mine = { ...base, name: 'Mine', systemPrompt: 'Mine.', description: 'Only mine.' };
    const result = mergeDrafts({ base, mine, theirs: { ...base, name: 'Theirs', systemPrompt: 'Theirs.' } });
    expect(titles(result)).toEqual(['Name', 'System prompt']);
    expect(result.draft).toEqual({ ...base, name: 'Theirs', systemPrompt: 'Theirs.', description: 'Only mine.' });
    expect(resolveConflicts(result, mine, new Set(['Name']))).toMatchObject({ name: 'Mine', systemPrompt: 'Theirs.' });
    expect(resolveConflicts(result, mine, new Set(['Name', 'System prompt']))).toEqual(mine);
  });

  it('combines lists entry by entry, and keeps new entries where they were added', () => {
    const { draft, conflicts } = merge(
      { skills: [skill('one'), skill('mine'), skill('two', 'Changed.'), skill('three')], tools: ['b'] },
      { skills: [skill('one', 'Theirs.'), skill('two'), skill('theirs')], tools: ['a', 'b', 'c'] },
    );
    expect(conflicts).toEqual([]);
    expect(draft.skills).toEqual([skill('one', 'Theirs.'), skill('mine'), skill('two', 'Changed.'), skill('theirs')]);
    expect(draft.tools).toEqual(['b', 'c']);
  });

  it.each<[string, Partial<Draft>, Partial<Draft>]>([
    ['changed the same entry', { skills: [skill('one', 'Mine.')] }, { skills: [skill('one', 'Theirs.')] }],
    [
      'changed and deleted the same entry',
      { skills: [skill('one', 'Mine.'), skill('two'), skill('three')] },
      { skills: [skill('two'), skill('three')] },
    ],
    [
      'ordered the entries differently',
      { skills: [skill('two'), skill('one'), skill('three')] },
      { skills: [skill('three'), skill('one'), skill('two')] },
    ],
    [
      'used and deleted a category',
      { skills: [skill('one', '', 'water'), skill('two'), skill('three')] },
      { skillCategories: [] },
    ],
  ])('asks about a list if the sides %s', (_, mine, theirs) => {
    expect(titles(merge(mine, theirs))).toEqual(['Skills']);
  });

  it('asks about a list without ids if both sides may have renamed the same entry', () => {
    expect(titles(merge({ tools: ['mine', 'b'] }, { tools: ['theirs', 'b'] }))).toEqual(['Tools']);
    expect(merge({ tools: ['mine', 'b'] }, { tools: ['b'] })).toMatchObject({ conflicts: [] });
  });

  it('asks about the offered tools if they have unfinished text and the saved version changed them', () => {
    const tool = (name: string) => ({ name, description: '', parameters: { type: 'object' as const }, prompt: '' });
    const own = { ...base, exposes: [tool('one'), tool('two')] };
    const theirs = { ...own, exposes: [tool('two')] };
    expect(titles(mergeDrafts({ base: own, mine: own, theirs }))).toEqual([]);
    const unfinished = new Set<keyof Draft>(['exposes']);
    const result = mergeDrafts({ base: own, mine: own, theirs }, unfinished);
    expect(titles(result)).toEqual(['Offered tools']);
    expect(resolveConflicts(result, own, new Set(['Offered tools'])).exposes).toEqual(own.exposes);
    expect(titles(mergeDrafts({ base: own, mine: own, theirs: own }, unfinished))).toEqual([]);
    expect(titles(mergeDrafts({ base: own, mine: own, theirs: { ...own, name: 'New' } }, unfinished))).toEqual([]);
  });

  it('keeps the order that one side changed', () => {
    const moved = [skill('three'), skill('one'), skill('two')];
    const added = [...base.skills, skill('four')];
    const expected = ['three', 'four', 'one', 'two'];
    expect(merge({ skills: moved }, { skills: added }).draft.skills.map(({ id }) => id)).toEqual(expected);
    expect(merge({ skills: added }, { skills: moved }).draft.skills.map(({ id }) => id)).toEqual(expected);
  });
});
