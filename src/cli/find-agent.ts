import type { AgentEntry } from '../agents/agent-source.ts';
import { HubError } from '../base/hub-error.ts';
import { nearest } from '../base/nearest.ts';
import type { Hub } from '../hub.ts';

/** Throws AGENT_NOT_FOUND with what is wrong with the agent, or the name that was probably meant. */
export async function findAgent(hub: Hub, id: string): Promise<AgentEntry> {
  await hub.agents.refresh();
  const entry = hub.agents.findEntry(id);
  if (entry) return entry;
  const problem = hub.problems().find(({ agentId }) => agentId === id);
  if (problem) throw new HubError('AGENT_NOT_FOUND', `Agent "${id}" could not be read: ${problem.message}`);
  const ids = hub.agents.list().map((agent) => agent.id);
  const near = nearest(id, ids);
  throw new HubError(
    'AGENT_NOT_FOUND',
    `There is no agent "${id.slice(0, 80)}". ${near ? `Did you mean "${near}"?` : available(ids)}`,
  );
}

function available(ids: readonly string[]): string {
  if (ids.length === 0) return 'There are no agents yet; "zoo agent init NAME" makes one.';
  const rest = ids.length > 12 ? `, and ${ids.length - 12} more` : '';
  return `Available: ${ids.slice(0, 12).join(', ')}${rest}.`;
}
