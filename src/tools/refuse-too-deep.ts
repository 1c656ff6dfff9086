import { HubError } from '../base/hub-error.ts';

/** Agents that call each other, or themselves, through however many hubs, come to an end. */
const deepest = 5;

/** Throws AGENT_ERROR where so many agents called each other before that this one is not asked any more. */
export function refuseTooDeep(agentId: string, depth = 0): void {
  if (depth < deepest) return;
  throw new HubError(
    'AGENT_ERROR',
    `Agents called each other ${deepest} deep, and agent "${agentId}" would be the next: the call was refused, because it would not end. Take the tool that leads back out of the scope of one of them.`,
  );
}
