import type { IncomingMessage } from 'node:http';
import { HubError } from '../../base/hub-error.ts';
import type { Identity } from '../../callers/callers.ts';
import type { Callers } from '../../callers/create-callers.ts';
import type { Calls } from '../../hub/calls.ts';
import { provenCaller } from '../../mcp-server/http/refused-calls.ts';
import type { Caller } from '../../tools/caller.ts';
import type { ToolOutcome } from '../../tools/execute-tool.ts';
import type { ToolCall } from '../../tools/run-tool.ts';

export interface RequestParts extends Calls {
  callers: Pick<Callers, 'identify'>;
}

interface RequestedCall {
  /** The sender, if it was identified before. */
  from?: Identity;
  agent?: string | undefined;
  /** The member that the sender says it is. */
  claimed?: string | undefined;
  /** Whether only members can call here. */
  isForMembers?: boolean;
  call: Omit<ToolCall, 'caller'>;
}

/** Runs a tool for the sender of the request. A rejected sender is logged too, like every call. */
export async function executeRequest(
  parts: RequestParts,
  request: IncomingMessage,
  { from, agent, claimed, isForMembers = false, call }: RequestedCall,
): Promise<ToolOutcome> {
  let caller: Caller;
  try {
    const sender = from ?? (await parts.callers.identify(request));
    if (isForMembers && sender.kind !== 'member' && claimed === undefined)
      throw new HubError('INVALID_ARGUMENTS', "agentId: is required without a member's token");
    caller = await parts.resolveCaller({ surface: 'http', from: sender, agent, claimed });
  } catch (error) {
    // Logging what is refused for its number would let a flood fill the log.
    if (!(error instanceof HubError) || error.code === 'RATE_LIMITED') throw error;
    return parts.refuse({ ...call, caller: await provenCaller(parts, 'http', request) }, error);
  }
  return parts.execute({ ...call, caller });
}
