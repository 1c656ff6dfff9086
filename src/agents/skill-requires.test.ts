import { describe, expect, it } from 'vitest';
import { parseWith } from '../base/validate.ts';
import { AgentInput } from './agent.ts';
import { compilePrompt } from './compile-prompt.ts';
import { activeSkills, dependentsOf, requirementsOf } from './skill-requires.ts';

const skill = (id: string, requires: string[] = [], enabled = false) => ({ id, name: id, enabled, requires });

describe('skills that require others', () => {
  it('bring them along, each once, and behind what they need', () => {
    const skills = [
      skill('review', ['style', 'tests'], true),
      skill('tests', ['style']),
      skill('talk', [], true),
      skill('style'),
      skill('unused', ['talk']),
    ];
    expect(activeSkills(skills).map(({ id }) => id)).toEqual(['style', 'tests', 'review', 'talk']);
    expect([...requirementsOf(skills, 'review')].sort()).toEqual(['style', 'tests']);
    expect([...dependentsOf(skills, 'style')].sort()).toEqual(['review', 'tests']);
  });

  it('keep the order of the list if nothing is required', () => {
    const skills = [skill('b', [], true), skill('a', [], true), skill('c')];
    expect(activeSkills(skills).map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('are in the compiled prompt in this order, although only one is enabled', () => {
    const { sections } = compilePrompt({
      id: 'x',
      name: 'X',
      systemPrompt: 'Hi.',
      skills: parseWith(AgentInput, { name: 'X', skills: [skill('b', ['a'], true), skill('a')] }).skills,
    });
    expect(sections.map(({ title }) => title)).toEqual(['Identity', 'System prompt', 'a', 'b']);
  });

  it.each([
    ['itself', [skill('a', ['a'])], 'skills[0].requires: "a" requires itself'],
    [
      'one that requires it',
      [skill('a', ['b']), skill('b', ['c']), skill('c', ['a'])],
      'skills[0].requires: "a" requires itself: a → b → c → a',
    ],
    ['an unknown one', [skill('a', ['z'])], 'skills[0].requires[0]: unknown skill "z". Available: a'],
  ])('cannot require %s', (_name, skills, message) => {
    expect(() => parseWith(AgentInput, { name: 'X', skills })).toThrow(message);
  });
});
