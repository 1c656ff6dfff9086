import type { Identity } from './callers.ts';

/** Returns the agents that a caller may see: all of them, or the one that its key is bound to. */
export function visibleAgents<A extends { id: string }>(agents: readonly A[], caller: Identity): A[] {
  const bound = caller.kind === 'client' ? caller.agentId : null;
  return agents.filter(({ id }) => bound === null || id === bound);
}
