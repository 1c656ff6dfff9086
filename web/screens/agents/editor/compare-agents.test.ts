import { describe, expect, it } from 'vitest';
import { AgentInput } from '../../../../src/agents/agent.ts';
import { compareAgents } from './compare-agents.ts';
import { type Draft, toDraft } from './draft.ts';

const before: Draft = toDraft({
  ...AgentInput.parse({
    name: 'Otter',
    systemPrompt: 'Swim.\nEat.',
    skillCategories: [{ id: 'code', name: 'Code', color: '#4f46e5' }],
    skills: [
      { id: 'a', name: 'A', description: 'one', categoryId: 'code' },
      { id: 'b', name: 'B', description: 'two' },
    ],
    arguments: [{ name: 'topic', description: 'What' }],
    tools: ['search'],
  }),
  id: 'otter',
  source: 'store',
});

const titles = (after: Draft) => compareAgents(before, after).map((change) => `${change.kind} ${change.title}`);

describe('compareAgents', () => {
  it('finds no changes between equal agents', () => {
    expect(compareAgents(before, structuredClone(before))).toEqual([]);
  });

  it('shows the changed lines of the system prompt', () => {
    const [change] = compareAgents(before, { ...before, systemPrompt: 'Swim.\nSleep.' });
    expect(change?.title).toBe('System prompt');
    expect(change?.lines.map((line) => `${line.kind} ${line.text}`)).toEqual([
      'same Swim.',
      'removed Eat.',
      'added Sleep.',
    ]);
  });

  it('describes the changes of a skill', () => {
    const skills = [{ id: 'a', name: 'Alpha', description: 'one', categoryId: null, enabled: false }];
    const changes = compareAgents(before, { ...before, skills });
    expect(changes[0]).toMatchObject({
      kind: 'changed',
      title: 'Skill “Alpha”',
      notes: ['renamed from “A”', 'turned off', 'moved from “Code” to “No category”'],
      lines: [],
    });
    expect(changes[1]).toMatchObject({ kind: 'removed', title: 'Skill “B”' });
  });

  it('finds a new order of skills', () => {
    expect(titles({ ...before, skills: before.skills.toReversed() })).toEqual(['changed Skill order']);
  });

  const item = { name: 'tests', description: '', include: 'always', priority: 0, text: 'Test.' } as const;
  // The type demands every field that an agent has.
  const changes: { [Field in keyof Required<Draft>]: [value: Draft[Field], title: string] } = {
    name: ['Seal', 'changed Name'],
    description: ['x', 'changed Description'],
    version: ['2', 'changed Version'],
    tags: [['sea'], 'changed Tags'],
    mode: ['autonomous', 'changed Mode'],
    model: ['a/b', 'changed Model'],
    systemPrompt: ['Sleep.', 'changed System prompt'],
    skillCategories: [[{ id: 'code', name: 'Coding', color: '#000000' }], 'changed Category “Coding”'],
    skills: [before.skills.slice(0, 1), 'removed Skill “B”'],
    rules: [[item], 'added Rule “tests”'],
    references: [[item], 'added Reference “tests”'],
    arguments: [[{ name: 'topic', description: 'What', required: true }], 'changed Argument “topic”'],
    tools: [['search', 'get'], 'changed Tools'],
    exposes: [[{ name: 't', description: '', parameters: { type: 'object' }, prompt: '' }], 'changed Offered tools'],
    shareContext: [true, 'changed Shared context'],
    knowledge: [[{ query: 'fish', source: null, tags: [], mode: null, limit: 3 }], 'changed Knowledge'],
    contextRefs: [['file'], 'changed Context references'],
    contextBudget: [10, 'changed Context budget'],
    modelSettings: [{ temperature: 1 }, 'changed Model settings'],
    toolPermission: ['never', 'changed Tool permission'],
    appearanceSeed: ['x', 'changed Picture'],
    provider: [{ organization: 'Zoo', url: 'https://zoo.example' }, 'changed Provider'],
    iconUrl: ['https://zoo.example/a.png', 'changed Icon'],
    documentationUrl: ['https://zoo.example/docs', 'changed Documentation'],
  };

  it.each(Object.entries(changes))('covers %s', (field, [value, title]) => {
    expect(titles({ ...before, [field]: value })).toEqual([title]);
  });
});
