import type { Operation } from '../base/contract.ts';
import { HubError } from '../base/hub-error.ts';
import { hasRight } from '../base/rights.ts';
import type { Identity } from './callers.ts';

/** Throws UNAUTHENTICATED or PERMISSION_DENIED if the caller may not use an operation. */
export function refuseRoute(
  { right, scopedBy }: Pick<Operation, 'right' | 'scopedBy'>,
  caller: Identity,
  params: Readonly<Record<string, string>>,
): void {
  if (!hasRight(caller.right, right)) throw withoutRight(caller, right);
  if (caller.kind !== 'client' || caller.agentId === null || right === 'none' || scopedBy === 'handler') return;
  if (scopedBy !== undefined && params[scopedBy] === caller.agentId) return;
  throw new HubError('PERMISSION_DENIED', `The key "${caller.name}" is only for the agent "${caller.agentId}".`);
}

function withoutRight(caller: Identity, right: string): HubError {
  switch (caller.kind) {
    case 'anonymous': {
      const how =
        right === 'administer'
          ? 'In the web app, sign in with a link from "zoo open". A script sends the owner\'s key: curl -H "Authorization: Bearer $(zoo key)".'
          : 'Send a key in the Authorization header; "zoo key create NAME" creates one.';
      return new HubError('UNAUTHENTICATED', `This needs the "${right}" right, and the request has no key. ${how}`);
    }
    case 'member':
      return new HubError(
        'PERMISSION_DENIED',
        `Members cannot do this with their token: it needs the "${right}" right. Members call tools, over /mcp or /mcp/execute.`,
      );
    default:
      return new HubError(
        'PERMISSION_DENIED',
        `Only the owner of this hub can do this; a client's key does not include it. Use the owner's key, which "zoo key" prints.`,
      );
  }
}
