import { expect, it } from 'vitest';
import { AgentInput } from '../../../src/agents/agent.ts';
import { firstQuestion } from './first-question.ts';

const bookFlight = { name: 'book_flight', prompt: 'Book.', parameters: { type: 'object' as const } };

it.each<[string, Partial<AgentInput>, string]>([
  ['may inject itself', { tools: ['search', 'agent_zoo_*'] }, 'Use agent_zoo_inject with agentId=otter'],
  ['has a brain', { tools: ['search', 'agent_zoo_query_brain_*'] }, 'agent_zoo_query_brain_entries'],
  ['may search', { tools: ['mcp__*', 'search'] }, 'search tool'],
  ['has another tool', { tools: ['mcp__*', 'mcp__files__read'] }, 'Call the tool mcp__files__read'],
  ['has tools by pattern', { tools: ['mcp__files__*'] }, 'Which tools do you have?'],
  ['offers tools', { mode: 'tools', tools: ['*'], exposes: [bookFlight] }, 'Call the tool book_flight'],
])('a client of an agent that %s is asked for a tool that it has', (_, fields, question) => {
  const { id = '', ...agent } = AgentInput.parse({ id: 'otter', name: 'Otter', ...fields });
  expect(firstQuestion({ ...agent, id })).toContain(question);
});
