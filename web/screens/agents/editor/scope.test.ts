import { describe, expect, it } from 'vitest';
import { addToScope, countInScope, describeScope, patternsFor, removeFromScope } from './scope.ts';

const tools = ['agent_zoo_inject', 'agent_zoo_list_agents', 'search'];

describe('scope', () => {
  it('tells tools, patterns and names the hub does not have now', () => {
    expect(describeScope(['search', 'agent_*', 'mcp__mail__send'], tools)).toEqual([
      { kind: 'tool', name: 'search' },
      { kind: 'pattern', name: 'agent_*', matches: ['agent_zoo_inject', 'agent_zoo_list_agents'] },
      { kind: 'missing', name: 'mcp__mail__send' },
    ]);
  });

  it('says which patterns let a tool in', () => {
    expect(patternsFor(['*search', 'agent_*', 'search'], 'search')).toEqual(['*search']);
  });

  it('holds each name once', () => {
    expect(addToScope(['search'], ['search', 'get', 'get'])).toEqual(['search', 'get']);
    expect(removeFromScope(['search', 'get'], ['search'])).toEqual(['get']);
  });

  it('counts each tool once, however many entries let it in', () => {
    expect(countInScope(['search', 's*', 'agent_*'], tools)).toBe(3);
    expect(countInScope([], tools)).toBe(0);
  });
});
