import { describe, expect, it } from 'vitest';
import { addToScope, countInScope, describeScope, patternsFor, removeFromScope } from './scope.ts';

const tools = ['agent_zoo_inject', 'agent_zoo_list_agents', 'search'];

describe('scope', () => {
  it('distinguishes tools, patterns and missing names', () => {
    expect(describeScope(['search', 'agent_*', 'mcp__mail__send'], tools)).toEqual([
      { kind: 'tool', name: 'search' },
      { kind: 'pattern', name: 'agent_*', matches: ['agent_zoo_inject', 'agent_zoo_list_agents'] },
      { kind: 'missing', name: 'mcp__mail__send' },
    ]);
  });

  it('finds the patterns that match a tool', () => {
    expect(patternsFor(['*search', 'agent_*', 'search'], 'search')).toEqual(['*search']);
  });

  it('contains each name once', () => {
    expect(addToScope(['search'], ['search', 'get', 'get'])).toEqual(['search', 'get']);
    expect(removeFromScope(['search', 'get'], ['search'])).toEqual(['get']);
  });

  it('counts each tool once, however many entries match it', () => {
    expect(countInScope(['search', 's*', 'agent_*'], tools)).toBe(3);
    expect(countInScope([], tools)).toBe(0);
  });
});
