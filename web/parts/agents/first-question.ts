import { type Agent, servesTools } from '../../../src/agents/agent.ts';
import { matchesAnyGlob } from '../../../src/base/glob.ts';
import { injectInstruction } from './inject-instruction.ts';

type Questioned = Pick<Agent, 'id' | 'tools' | 'mode' | 'exposes'>;

/** Questions that make a client call one of the hub's tools, the most telling first. */
const questions: readonly (readonly [tool: string, question: (agent: Questioned) => string])[] = [
  ['agent_zoo_inject', ({ id }) => injectInstruction(id)],
  ['agent_zoo_query_brain_entries', () => 'Use agent_zoo_query_brain_entries and tell me what you remember'],
  ['search', () => 'Use the search tool and tell me what the knowledge base is about'],
];

/** Returns what to ask a client that sees only this agent, so that it calls a tool that it has. */
export function firstQuestion(agent: Questioned): string {
  const offered = agent.mode === 'tools' || agent.tools.length === 0 ? agent.exposes[0] : undefined;
  if (offered && servesTools(agent)) return `Call the tool ${offered.name}`;
  const known = questions.find(([tool]) => matchesAnyGlob(agent.tools, tool));
  if (known) return known[1](agent);
  const named = agent.tools.find((pattern) => !pattern.includes('*'));
  return named === undefined ? 'Which tools do you have? Call one of them' : `Call the tool ${named}`;
}
