import { useAgents } from '../../api/queries.ts';

/** Returns the name of an agent; its id if the agent is gone, or not loaded yet. */
export function useAgentName(id: string | null): string | null {
  const agents = useAgents().data?.agents;
  return agents?.find((agent) => agent.id === id)?.name ?? id;
}
