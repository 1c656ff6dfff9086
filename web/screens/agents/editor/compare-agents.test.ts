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

  it('covers every other field', () => {
    const after: Draft = {
      ...before,
      name: 'Seal',
      description: 'x',
      version: '2',
      mode: 'autonomous',
      model: 'a/b',
      skillCategories: [{ id: 'code', name: 'Coding', color: '#000000' }],
      arguments: [{ name: 'topic', description: 'What', required: true }],
      tools: ['search', 'get'],
      exposes: [{ name: 't', description: '', parameters: { type: 'object' }, prompt: '' }],
      shareContext: true,
      contextRefs: ['file'],
      modelSettings: { temperature: 1 },
      toolPermission: 'never',
    };
    expect(titles(after)).toEqual([
      'changed Name',
      'changed Description',
      'changed Version',
      'changed Mode',
      'changed Model',
      'changed Category “Coding”',
      'changed Argument “topic”',
      'changed Tools',
      'changed Offered tools',
      'changed Shared context',
      'changed Context references',
      'changed Model settings',
      'changed Tool permission',
    ]);
  });
});
