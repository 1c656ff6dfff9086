import type { Agent } from './agent.ts';

/** The fields of an agent that the log shows: what it is, what it may do, and which version. */
export function briefAgent(agent: Agent, revision?: number | null): object {
  const { name, mode, model, tools, toolPermission } = agent;
  return { name, mode, model, tools, toolPermission, ...(revision != null && { revision }) };
}
