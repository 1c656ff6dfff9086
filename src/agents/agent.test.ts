import { describe, expect, it } from 'vitest';
import { parseWith } from '../base/validate.ts';
import { Agent, AgentInput } from './agent.ts';

describe('AgentInput', () => {
  it('fills in the defaults', () => {
    expect(parseWith(AgentInput, { name: 'X' })).toMatchObject({
      mode: 'interactive',
      version: '1.0.0',
      skills: [],
      tools: [],
      toolPermission: 'tool',
      model: null,
    });
  });

  it.each([
    ['no name', {}, /name/],
    ['a blank name', { name: '  ' }, /name: must not be empty/],
    ['a name of 1 MB', { name: 'x'.repeat(1_000_000) }, /name: .*120/],
    ['a name cut inside a character', { name: 'cat \ud83d' }, /name: must be well-formed/],
    ['a prompt cut inside a character', { name: 'X', systemPrompt: '\udc08 cat' }, /systemPrompt: must be well-formed/],
    ['a name of two lines', { name: 'a\nb' }, /name: must be one line/],
    ['an id with a slash', { id: 'a/b', name: 'X' }, /id: must be/],
    ['an unknown field', { name: 'X', colour: 'red' }, /colour/],
    ['a prompt that is not text', { name: 'X', systemPrompt: 7 }, /systemPrompt/],
    ['an unknown mode', { name: 'X', mode: 'chat' }, /mode/],
    [
      'a skill in an unknown category',
      { name: 'X', skills: [{ id: 's', name: 'S', categoryId: 'gone' }] },
      /skills\[0\]\.categoryId: unknown skill category "gone"/,
    ],
    [
      'two skills with the same id',
      {
        name: 'X',
        skills: [
          { id: 's', name: 'S' },
          { id: 's', name: 'T' },
        ],
      },
      /skills\[1\]: "s" is used twice/,
    ],
    [
      'a colour name',
      { name: 'X', skillCategories: [{ id: 'c', name: 'C', color: 'red' }] },
      /skillCategories\[0\]\.color/,
    ],
    ['a tag twice', { name: 'X', tags: ['a', 'b', 'a'] }, /tags\[2\]: "a" is used twice/],
    ['an empty tag', { name: 'X', tags: [' '] }, /tags\[0\]: must not be empty/],
    ['an argument with a space', { name: 'X', arguments: [{ name: 'a b' }] }, /arguments\[0\]\.name/],
    ['a NUL in the prompt', { name: 'X', systemPrompt: 'a\0b' }, /NUL/],
  ])('rejects %s and names the field', (_name, value, message) => {
    expect(() => parseWith(AgentInput, value)).toThrow(message);
  });

  it('keeps its error short for a huge input', () => {
    try {
      parseWith(AgentInput, { name: 'X', ['k'.repeat(1_000_000)]: 1 });
      expect.unreachable();
    } catch (error) {
      expect(String(error).length).toBeLessThan(1_000);
    }
  });
});

it('an agent must name its source', () => {
  expect(() => parseWith(Agent, { id: 'x', name: 'X' })).toThrow(/source/);
});
