import type { IncomingMessage } from 'node:http';
import { HubError } from '../base/hub-error.ts';
import type { Hub } from '../hub.ts';
import { bearerToken } from '../mcp-server/bearer-token.ts';
import type { Caller } from '../tools/caller.ts';

/** The member whose token came along, else the person, or the view of an agent. Throws PERMISSION_DENIED, AGENT_NOT_FOUND. */
export async function callerOfRequest(
  hub: Hub,
  request: IncomingMessage,
  agentId: string | undefined,
): Promise<Caller> {
  const token = bearerToken(request);
  if (token === undefined) return hub.callerFor('http', agentId);
  if (agentId !== undefined) {
    throw new HubError('INVALID_ARGUMENTS', 'A member calls with its own rights: leave "agent" out of the address.');
  }
  return hub.memberCaller('http', { token });
}
