/** Returns the instruction that makes any connected client adopt the agent. */
export function injectInstruction(agentId: string): string {
  return `Use agent_zoo_inject with agentId=${agentId}`;
}
