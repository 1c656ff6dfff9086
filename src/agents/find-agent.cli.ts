import { HubError } from '../base/hub-error.ts';
import { nearest } from '../base/nearest.ts';
import type { SourceProblem } from '../base/source.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { AgentEntry } from './agent-source.ts';

/** The agents, and problems with those that could not be read. */
export interface KnownAgents {
  readonly agents: AgentRegistry;
  problems(): readonly SourceProblem[];
}

/** Throws AGENT_NOT_FOUND with the agent's problem, or with the most similar name. */
export async function findAgent({ agents, problems }: KnownAgents, id: string): Promise<AgentEntry> {
  await agents.refresh();
  const entry = agents.findEntry(id);
  if (entry) return entry;
  const problem = problems().find(({ agentId }) => agentId === id);
  if (problem) throw new HubError('AGENT_NOT_FOUND', `Agent "${id}" could not be read: ${problem.message}`);
  const ids = agents.list().map((agent) => agent.id);
  const near = nearest(id, ids);
  throw new HubError(
    'AGENT_NOT_FOUND',
    `There is no agent "${id.slice(0, 80)}". ${near ? `Did you mean "${near}"?` : available(ids)}`,
  );
}

function available(ids: readonly string[]): string {
  if (ids.length === 0) return 'You have no agents yet. Create one with "zoo agent init NAME".';
  const rest = ids.length > 12 ? `, and ${ids.length - 12} more` : '';
  return `Available: ${ids.slice(0, 12).join(', ')}${rest}.`;
}
