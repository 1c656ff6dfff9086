import type { IncomingMessage } from 'node:http';
import { HubError } from '../../base/hub-error.ts';
import type { CallerClaim, Calls } from '../../hub/calls.ts';
import { bearerToken } from '../../mcp-server/http/http-request.ts';
import { provenCaller } from '../../mcp-server/http/refused-calls.ts';
import type { Caller } from '../../tools/caller.ts';
import type { ToolOutcome } from '../../tools/execute-tool.ts';
import type { ToolCall } from '../../tools/run-tool.ts';

/** Runs a tool for the sender of the request. A rejected sender is logged too, like every call. */
export async function executeRequest(
  calls: Calls,
  request: IncomingMessage,
  { claim, call }: { claim: (token: string | undefined) => CallerClaim; call: Omit<ToolCall, 'caller'> },
): Promise<ToolOutcome> {
  let caller: Caller;
  try {
    caller = await calls.resolveCaller(claim(bearerToken(request)));
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return calls.refuse({ ...call, caller: await provenCaller(calls, 'http', request) }, error);
  }
  return calls.execute({ ...call, caller });
}
