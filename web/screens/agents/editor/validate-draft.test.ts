import { describe, expect, it } from 'vitest';
import { AgentInput } from '../../../../src/agents/agent.ts';
import { type Draft, toDraft } from './draft.ts';
import { countIssues, issueAt, validateDraft } from './validate-draft.ts';

const draft: Draft = toDraft({ ...AgentInput.parse({ name: 'Otter' }), id: 'otter', source: 'store' });
const argument = { name: 'a', description: '', required: false };

describe('validateDraft', () => {
  it('accepts a valid draft', () => {
    expect(validateDraft(draft)).toEqual([]);
  });

  it.each<[string, Partial<Draft>, string, string]>([
    ['an empty name', { name: ' ' }, 'name', 'Must not be empty.'],
    ['a long name', { name: 'x'.repeat(121) }, 'name', 'Must have at most 120 characters.'],
    [
      'too many arguments',
      { arguments: Array.from({ length: 51 }, (_, index) => ({ ...argument, name: `a${index}` })) },
      'arguments',
      'Must have at most 50 entries.',
    ],
    [
      'a cache that is kept for years',
      {
        exposes: [
          { name: 't', description: '', prompt: '', parameters: { type: 'object' }, cache: { seconds: 9_999_999 } },
        ],
      },
      'exposes[0].cache.seconds',
      'Must be at most 2,592,000.',
    ],
    ['an argument used twice', { arguments: [argument, argument] }, 'arguments[1]', '"a" is used twice.'],
    [
      'a skill without a name',
      { skills: [{ id: 's', name: '', description: '', categoryId: null, enabled: true }] },
      'skills[0].name',
      'Must not be empty.',
    ],
  ])('reports %s at its field', (_, change, path, message) => {
    expect(issueAt(validateDraft({ ...draft, ...change }), path)).toBe(message);
  });

  it('counts the messages at and below a field', () => {
    const issues = [
      { path: 'skills[0].name', message: '' },
      { path: 'skills', message: '' },
      { path: 'skillCategories[0].name', message: '' },
    ];
    expect([countIssues(issues, 'skills'), countIssues(issues, 'skillCategories')]).toEqual([2, 1]);
  });
});
