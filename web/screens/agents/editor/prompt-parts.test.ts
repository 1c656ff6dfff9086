import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { compilePrompt } from '../../../../src/agents/compile-prompt.ts';
import { countPromptTokens, tokenCounter } from './count-tokens.ts';
import { countReferences, findReferences, undeclaredNames } from './references.ts';

const skill = { id: 's', name: 'Tests first', description: 'Write a test.', categoryId: null, enabled: true };

describe('tokens', () => {
  it('are counted for each section and add up', () => {
    const compiled = compilePrompt({ id: 'otter', name: 'Otter', systemPrompt: 'Swim well.', skills: [skill] });
    const { total, sections } = countPromptTokens(compiled, tokenCounter());
    expect(sections.map(({ section }) => section.kind)).toEqual(['header', 'system', 'skill']);
    expect(sections[1]?.tokens).toBe(estimateTokenCount('Swim well.'));
    const sum = sections.reduce((value, each) => value + each.tokens, 0);
    expect(total).toBeGreaterThan(sum);
    expect(total - sum).toBeLessThan(10);
  });

  it('stay correct when the cache is cleared', () => {
    const count = tokenCounter(1);
    expect([count('one'), count('two words'), count('one')]).toEqual(
      ['one', 'two words', 'one'].map((text) => estimateTokenCount(text)),
    );
  });
});

describe('references', () => {
  it('are found with their position', () => {
    expect(findReferences('Hi {user}, {not this} {_x-1}')).toEqual([
      { name: 'user', from: 3, to: 9 },
      { name: '_x-1', from: 22, to: 28 },
    ]);
  });

  it('are listed once if undeclared', () => {
    expect(undeclaredNames(['{a} {b} {b}', '{c}'], ['a'])).toEqual(['b', 'c']);
  });

  it('are counted across all texts', () => {
    expect([...countReferences(['{a} {b}', '{a}'])]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});
