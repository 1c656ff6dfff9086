/** What a person types into any connected client to make it become the agent. */
export function injectInstruction(agentId: string): string {
  return `Use agent_zoo_inject with agentId=${agentId}`;
}
