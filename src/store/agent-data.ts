import { Agent } from '../agents/agent.ts';
import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';

export function toAgentData(agent: Agent): string {
  return JSON.stringify({ ...agent, source: 'store' });
}

/** Throws AGENT_ERROR when the row does not fit the shape this version knows. */
export function parseAgentData(id: string, data: string): Agent {
  const what = `The stored agent "${id}" does not fit`;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw new HubError('AGENT_ERROR', `${what}: it is not valid JSON`, { cause: error });
  }
  const agent = parseWith(Agent, value, { code: 'AGENT_ERROR', what });
  if (agent.id !== id) throw new HubError('AGENT_ERROR', `${what}: its data names the id "${agent.id}"`);
  return agent;
}
