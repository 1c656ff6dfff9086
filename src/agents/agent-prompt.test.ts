import { expect, it } from 'vitest';
import { brainTools } from '../brain/brain.tools.ts';
import type { BrainStore } from '../brain/brain.ts';
import { Agent } from './agent.ts';
import { resolveStatically, zooToolNames } from './agent-prompt.ts';
import { AgentRegistry } from './agent-registry.ts';
import { agentTools } from './agents.tools.ts';

const agent = Agent.parse({
  id: 'tiger',
  name: 'Tiger',
  source: 'toml',
  systemPrompt: '{who} and {other} and {__proto__}',
  skills: [{ id: 's', name: '{who}', description: 'Ask {who}.' }],
  arguments: [{ name: 'who' }, { name: '__proto__' }],
});

it('fills only declared arguments in the prompt and skills, in one pass', () => {
  const { system } = resolveStatically(agent, { who: '{other} $&', other: 'never' });
  expect(system).toMatch(/^\{other\} \$& and \{other\} and \{__proto__\}\n/);
  expect(system).toContain('### {who}\nAsk {other} $&.');
});

it('leaves the placeholder of a missing argument unchanged', () => {
  expect(resolveStatically(agent, {}).system).toContain('{who} and {other} and {__proto__}');
});

it.each([
  [[], false],
  [['search', 'get'], false],
  [['mcp__agent_zoo__*'], false],
  [['search', 'agent_zoo_query_brain_entries'], true],
  [['agent_zoo_*'], true],
  [['*'], true],
])('with the scope %j, the identity line is there: %s', (tools, expected) => {
  const { system } = resolveStatically({ ...agent, tools }, {});
  expect(system.startsWith('You are now Tiger. Use agentId=tiger')).toBe(expected);
  expect(system).toContain('{who} and {other} and {__proto__}');
});

it('knows every tool that takes the agentId of the identity line', () => {
  const registry = new AgentRegistry();
  const tools = [...agentTools(registry), ...brainTools(registry, {} as BrainStore)];
  expect(tools.map(({ name }) => name).sort()).toEqual([...zooToolNames].sort());
});
